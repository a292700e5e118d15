#include <gtest/gtest.h>
#include <time.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/cost/statistics.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/copy/copy_sources.h"
#include "runtime/engine/forward_text.h"
#include "runtime/inference/target.h"
#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "runtime/prompt_files/prompt_file.h"
#include "tests/support/source_path.h"

namespace outrider::test {
namespace {

constexpr int kContext = 2000;
constexpr int kSteps = 16;  // of a turn
constexpr int kTurns = 5;
constexpr int kLeastPairs = 40;  // of passes
constexpr int kMostPairs = 400;
constexpr double kLimit = 0.03;
constexpr int kRoom = 64;  // tokens still to come, so that no draft is cut short

/// The processor time of this thread: other programs that run meanwhile do not count.
double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Does all that a drafter does, but discards the draft: every pass has one row.
class DiscardedDrafts : public draft::Drafter {
 public:
  explicit DiscardedDrafts(std::unique_ptr<draft::Drafter> drafter)
      : drafter_(std::move(drafter)) {}

  std::string name() const override { return drafter_->name(); }
  int begin(const draft::TextStart& text) override { return drafter_->start(text); }
  draft::DrafterTraits traits() const override { return {.wants = drafter_->traits().wants}; }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    const double begin = thread_seconds();
    drafter_->observe(pass, rows);
    seconds += thread_seconds() - begin;
  }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    const double begin = thread_seconds();
    draft_.restart(tree.token(0), tree.limits());
    drafter_->draft(context, draft_);
    seconds += thread_seconds() - begin;
    drafted += draft_.num_drafted();
  }
  void verified(std::span<const int> accepted, Token next) override {
    const double begin = thread_seconds();
    drafter_->verified(accepted, next);
    seconds += thread_seconds() - begin;
  }

  double seconds = 0;  // spent in it
  int drafted = 0;     // tokens

 private:
  std::unique_ptr<draft::Drafter> drafter_;
  draft::TokenTree draft_ = draft::TokenTree(0);
};

/// The built-in prompts one after the other, again and again.
std::vector<Token> real_text(const inference::Target& target, std::size_t length) {
  std::vector<Token> text;
  const auto prompts = text::read_prompts(test::source_path("configs/prompts/demo.jsonl"));
  while (text.size() < length) {
    for (const text::PromptRecord& prompt : prompts)
      for (const std::string& turn : prompt.turns) {
        const std::vector<Token> tokens = target.tokenizer().encode(turn, false);
        text.insert(text.end(), tokens.begin(), tokens.end());
      }
  }
  return text;
}

/// What the drafter's calls add to steps of one row after the first `kContext` tokens of a text, as a
/// share of the rest of the steps.
double share_of_steps(decode::Decoder& decoder, DiscardedDrafts& drafter,
                      std::span<const Token> text, int vocab) {
  sampling::Sampler sampler({}, vocab, 0);  // not used: the text is given
  decode::DecodeLimits limits;
  const auto given = text.subspan(kContext, kSteps + 2 + kRoom);
  limits.given.assign(given.begin(), given.end());
  double begin = 0;
  int tokens = 0;
  decoder.decode(text.first(kContext), sampler, &drafter, limits, [&](Token, const draft::Origin&) {
    if (++tokens == 2) {
      drafter.seconds = 0;
      begin = thread_seconds();
    }
    return tokens < kSteps + 2;
  });
  return drafter.seconds / (thread_seconds() - begin - drafter.seconds);
}

/// What observing adds to a pass of one row after a text, as a share of it. The two kinds of pass
/// take turns, so that what else runs on the machine slows both; as long as the median exceeds
/// `limit`, more are made.
double share_of_observing(engine::Engine& engine, engine::KvCache& cache, Token next,
                          const engine::TapRequest& request, double limit) {
  const auto seconds = [&](engine::Pass& pass) {
    const double begin = thread_seconds();
    engine.forward(pass);
    return thread_seconds() - begin;
  };
  engine::Pass plain;
  plain.sequences = {&cache};
  plain.add_chain(0, std::span(&next, 1), true);
  engine::Pass observed = plain;
  observed.request = request;
  std::vector<double> shares;
  while (shares.size() < kLeastPairs ||
         (shares.size() < kMostPairs && cost::spread_of(shares).median > limit)) {
    const double first = seconds(plain);
    const double observing = seconds(observed) + seconds(observed);
    shares.push_back(observing / (first + seconds(plain)) - 1);
  }
  return cost::spread_of(shares).median;
}

// Ranking costs the drafter's own calls and what it observes of the pass.
TEST(RealModel, RankingSourcesTakesAtMostThreeHundredthsOfAPass) {
  if (OUTRIDER_SANITIZED) GTEST_SKIP() << "sanitizers have their own price";
  inference::TargetOptions options = {.model = test::default_model()};
  options.engine.threads = 1;
  inference::Target target(options);
  const std::vector<Token> text = real_text(target, kContext + kSteps + 2 + kRoom);

  std::size_t sources = 0;
  std::vector<int> of_step;
  for (std::size_t i = 1; i <= kSteps; ++i) {
    draft::copy_sources(std::span(text).first(kContext + i + 1), of_step);
    sources += of_step.size();
  }
  EXPECT_GE(sources, 20u * kSteps) << "too few sources for a mean";

  decode::Decoder decoder(target.engine(), kContext + kSteps + 2 + kRoom);
  const auto cache = target.engine().make_cache(kContext + 1);
  engine::Pass pass;
  engine::forward_text(target.engine(), *cache, pass, std::span(text).first(kContext));
  for (const char* name : {"pld-plus-a", "pld-plus-h"}) {
    const auto method = methods::new_method(name);
    methods::fill_in(*method, "heads", std::string("20"));
    methods::fill_in(*method, "draft-length", 10);
    methods::fill_in(*method, "threshold", -1.0);
    methods::fill_in(*method, "logit-weight", 0.02);
    const auto prepared =
        method->prepare({target.model(), target.engine(), {test::source_path("checkpoints")}});
    DiscardedDrafts drafter(prepared.new_drafter());

    std::vector<double> turns;
    for (int i = 0; i < kTurns; ++i)
      turns.push_back(share_of_steps(decoder, drafter, text, target.model().config.vocab));
    const double drafting = cost::spread_of(turns).median;
    const double observing = share_of_observing(target.engine(), *cache, text[kContext],
                                                drafter.traits().wants, kLimit - drafting);
    EXPECT_GT(drafter.drafted, kTurns * kSteps * 5) << name;
    EXPECT_LE(drafting + observing, kLimit)
        << name << ": " << drafting << " of it drafting, " << observing << " observing";
    RecordProperty(name, std::to_string(drafting) + " + " + std::to_string(observing));
  }
}

}  // namespace
}  // namespace outrider::test
