#include "calibrate/cost/measure_drafters.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cost/statistics.h"
#include "runtime/decode/decode_loop.h"

namespace outrider::calibrate {
namespace {

constexpr int kRoom = 64;  // tokens left to generate, so that no draft is truncated

/// A drafter and the times of its steps. Its drafts are not verified: passes of one row suffice.
class TimedDrafter : public draft::Drafter {
 public:
  explicit TimedDrafter(draft::Drafter& timed) : timed_(timed) {}

  std::string name() const override { return timed_.name(); }
  draft::DrafterTraits traits() const override { return {.wants = timed_.traits().wants}; }
  int begin(const draft::TextStart& text) override { return timed_.start(text); }
  void observe(const engine::Pass& pass, const draft::ObservedRows& rows) override {
    time([&] { timed_.observe(pass, rows); });
  }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    seconds_.push_back(0);
    time([&] {
      draft_.restart(tree.token(0), tree.limits());
      timed_.draft(context, draft_);
    });
  }
  void verified(std::span<const int> accepted, Token next) override {
    time([&] { timed_.verified(accepted, next); });
  }

  /// Seconds of each step. The first one includes the whole prompt.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  template <typename Work>
  void time(Work work) {
    const Stopwatch watch;
    work();
    if (!seconds_.empty()) seconds_.back() += watch.seconds();  // otherwise the prefill's
  }

  draft::Drafter& timed_;
  draft::TokenTree draft_ = draft::TokenTree(0);
  std::vector<double> seconds_;
};

/// A text by Zipf's law: the r-th token occurs 1 / r times as often as the first.
std::vector<Token> made_up_text(int length, int vocab) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(0, 1);
  std::vector<Token> text;
  for (int i = 0; i < length; ++i)
    text.push_back(static_cast<Token>(std::pow(vocab, exponent(random))) - 1);
  return text;
}

/// The times of the steps after the first `context` tokens of a text.
std::vector<double> step_seconds(decode::Decoder& decoder, draft::Drafter& drafter,
                                 std::span<const Token> text, int context, int vocab) {
  TimedDrafter timed(drafter);
  sampling::Sampler sampler({}, vocab, 0);  // unused: the text is given
  decode::DecodeLimits limits;
  const auto given = text.subspan(static_cast<std::size_t>(context), kStepsOfATurn + kRoom);
  limits.given.assign(given.begin(), given.end());
  int made = 0;
  decoder.decode(text.first(static_cast<std::size_t>(context)), sampler, &timed, limits,
                 [&made](Token, const draft::Origin&) { return ++made < kStepsOfATurn; });
  return {timed.seconds().begin() + 1, timed.seconds().end()};
}

}  // namespace

cost::DrafterCosts measure_drafters(engine::Engine& engine, std::vector<NamedDrafter> drafters,
                                    std::vector<int> contexts, int rounds,
                                    const std::function<bool(int)>& go_on,
                                    const std::function<bool(int)>& has_time) {
  std::sort(contexts.begin(), contexts.end());  // the cache only grows
  const int vocab = engine.config().vocab;
  const int longest = contexts.back() + kStepsOfATurn + kRoom;
  const std::vector<Token> text = made_up_text(longest, vocab);
  decode::Decoder decoder(engine, longest);
  cost::DrafterCosts costs;
  if (drafters.empty()) return costs;
  for (const NamedDrafter& one : drafters) costs.drafters.push_back({one.name, {}, {}, {}});
  std::mt19937 random(1);
  int done = 0, read = 0;
  for (const int context : contexts) {
    std::map<std::string, std::vector<double>> seconds;
    for (int round = 0; round < rounds; ++round) {
      if (done > 0 && !has_time(context - read)) break;
      read = context;
      std::shuffle(drafters.begin(), drafters.end(), random);
      for (const NamedDrafter& one : drafters) {
        const auto steps = step_seconds(decoder, *one.drafter, text, context, vocab);
        seconds[one.name].insert(seconds[one.name].end(), steps.begin(), steps.end());
      }
      if (!go_on(++done)) throw Interrupted();
    }
    if (seconds.empty()) break;
    costs.contexts.push_back(context);
    for (cost::DrafterCosts::Drafter& one : costs.drafters) {
      const cost::Spread spread = cost::spread_of(seconds[one.name]);
      one.seconds.push_back(spread.median);
      one.low.push_back(spread.low);
      one.high.push_back(spread.high);
    }
  }
  return costs;
}

}  // namespace outrider::calibrate
