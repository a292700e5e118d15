#include "runtime/decode/decode_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "runtime/base/error.h"
#include "runtime/draft/ngram/context_ngram_drafter.h"
#include "runtime/sampling/arg_max.h"
#include "tests/support/random_tree.h"
#include "tests/support/tiny_engine.h"

namespace outrider::decode {
namespace {

/// Drafts random trees, into which it plants the coming text down to a random depth.
class KnownTextDrafter : public draft::Drafter {
 public:
  KnownTextDrafter(std::vector<Token> text, int vocab, std::uint64_t seed)
      : text_(std::move(text)), vocab_(vocab), random_(seed) {}

  std::string name() const override { return "drafter"; }
  void fill(const draft::DraftContext& context, draft::TokenTree& tree) override {
    const std::span<const Token> committed = context.committed;
    if (!told_.empty()) {
      EXPECT_EQ(std::vector<Token>(committed.begin(), committed.end()), told_);
    }
    const int depth = static_cast<int>(random_() % 8);
    const int nodes = 1 + static_cast<int>(random_() % 12);
    const draft::TokenTree wrong =
        test::random_tree(committed.back(), {.vocab = vocab_, .nodes = nodes}, random_);
    // Before, between and after the nodes of the text, so that slots and depths differ.
    std::vector<int> placed = {0};  // of every wrong node
    int truth = 0, planted = 0;
    while (static_cast<int>(placed.size()) < wrong.size() || planted < depth) {
      const std::size_t next = committed.size() + static_cast<std::size_t>(planted);
      const bool plant = planted < depth && random_() % 2 == 0;
      if (plant && next < text_.size() && truth != draft::TokenTree::kNone)
        truth = tree.add(truth, text_[next]);
      if (plant) ++planted;
      const int node = static_cast<int>(placed.size());
      if (plant || node == wrong.size()) continue;
      const int parent = placed[static_cast<std::size_t>(wrong.parent(node))];
      placed.push_back(parent == draft::TokenTree::kNone ? parent
                                                         : tree.add(parent, wrong.token(node)));
    }
    told_.assign(committed.begin(), committed.end());
    draft_ = tree;
  }
  void verified(std::span<const int> accepted, Token next) override {
    for (const int node : accepted) told_.push_back(draft_.token(node));
    told_.push_back(next);
    deepest = std::max(deepest, static_cast<int>(accepted.size()));
  }

  int deepest = 0;

 private:
  std::vector<Token> text_;
  int vocab_;
  std::mt19937_64 random_;
  std::vector<Token> told_;  // the text, as `verified` reported it
  draft::TokenTree draft_ = draft::TokenTree(0);
};

const sampling::SamplerOptions kGreedy = {};
const sampling::SamplerOptions kEverything = test::every_sampler_option();

DecodeResult decode_fresh(engine::Engine& engine, const std::vector<Token>& prompt,
                          const sampling::SamplerOptions& options, draft::Drafter* drafter,
                          const DecodeLimits& limits, int context = 200) {
  Decoder decoder(engine, context);
  sampling::Sampler sampler(options, engine.config().vocab,
                            sampling::sequence_seed(options.seed, "p", 0, 0));
  return decoder.decode(prompt, sampler, drafter, limits);
}

class AnyNumerics : public testing::TestWithParam<model::WeightType> {};

TEST_P(AnyNumerics, SaysTheSameWithRandomTreesAsWithout) {
  int deepest = 0, accepted = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    for (const int threads : {1, 2}) {
      test::TinyEngine target(GetParam(), seed, threads);
      const int vocab = target.engine.config().vocab;
      const auto prompt = test::random_tokens(static_cast<int>(5 + 20 * seed), vocab, seed);
      for (const sampling::SamplerOptions& options : {kGreedy, kEverything}) {
        const DecodeResult plain =
            decode_fresh(target.engine, prompt, options, nullptr, {.max_new = 60});
        ASSERT_EQ(plain.tokens.size(), 60u);
        EXPECT_EQ(plain.stats.passes, 59);
        std::vector<Token> text = prompt;
        text.insert(text.end(), plain.tokens.begin(), plain.tokens.end());
        for (const int chunk : {1, 7, 64}) {
          KnownTextDrafter drafter(text, vocab, seed * 100 + static_cast<std::uint64_t>(chunk));
          const DecodeResult drafted = decode_fresh(target.engine, prompt, options, &drafter,
                                                    {.max_new = 60, .prefill_chunk = chunk});
          EXPECT_EQ(drafted.tokens, plain.tokens);
          EXPECT_EQ(drafted.stats.passes + drafted.stats.accepted, plain.stats.passes);
          EXPECT_LT(drafted.stats.passes, plain.stats.passes / 2);
          deepest = std::max(deepest, drafter.deepest);
          accepted += drafted.stats.accepted;
        }
      }
    }
  }
  EXPECT_GE(deepest, 3);
  EXPECT_GE(accepted, 500);
}

INSTANTIATE_TEST_SUITE_P(Numerics, AnyNumerics,
                         testing::Values(model::WeightType::kF32, model::WeightType::kQ4_1));

TEST(DecodeLoop, GivesOtherTextsForOtherSeeds) {
  test::TinyEngine target(model::WeightType::kF32, 1, 1);
  const auto prompt = test::random_tokens(20, target.engine.config().vocab, 1);
  sampling::SamplerOptions other = kEverything;
  other.seed = 4;
  const auto first = decode_fresh(target.engine, prompt, kEverything, nullptr, {.max_new = 40});
  EXPECT_EQ(first.tokens,
            decode_fresh(target.engine, prompt, kEverything, nullptr, {.max_new = 40}).tokens);
  EXPECT_NE(first.tokens,
            decode_fresh(target.engine, prompt, other, nullptr, {.max_new = 40}).tokens);
}

TEST(DecodeLoop, TellsOfTheRowThatEachTokenFollowsWithDraftsAndWithout) {
  test::TinyEngine target(model::WeightType::kF32, 1, 1);
  const int vocab = target.engine.config().vocab;
  const auto prompt = test::random_tokens(20, vocab, 1);
  std::vector<Token> text = prompt;
  for (const bool drafts : {false, true}) {
    KnownTextDrafter drafter(text, vocab, 1);
    std::vector<Token> likeliest, told;
    DecodeLimits limits = {.max_new = 24};
    limits.on_row = [&](const engine::Logits& logits, int row) {
      EXPECT_EQ(likeliest.size(), told.size()) << "before the token";
      likeliest.push_back(sampling::arg_max(logits.row(row)));
    };
    Decoder decoder(target.engine, 200);
    const DecodeResult decoded =
        decoder.decode(prompt, sampling::Sampler(kGreedy, vocab, 1), drafts ? &drafter : nullptr,
                       limits, [&](Token token, const draft::Origin&) {
                         told.push_back(token);
                         return true;
                       });
    EXPECT_EQ(likeliest, decoded.tokens);
    EXPECT_EQ(told, decoded.tokens);
    EXPECT_EQ(decoded.stats.accepted > 0, drafts);
    if (!drafts) text.insert(text.end(), decoded.tokens.begin(), decoded.tokens.end());
  }
}

TEST(DecodeLoop, KeepsTheCacheForTheNextTurn) {
  test::TinyEngine target(model::WeightType::kQ4_1, 2, 1);
  const int vocab = target.engine.config().vocab;
  auto text = test::random_tokens(30, vocab, 5);
  Decoder decoder(target.engine, 200);
  sampling::Sampler sampler(kEverything, vocab, 9);
  for (int turn = 0; turn < 3; ++turn) {
    const DecodeResult kept = decoder.decode(text, sampler, nullptr, {.max_new = 10});
    // Later, what was added, and the last token of the answer, which had not been forwarded.
    EXPECT_EQ(kept.stats.prefilled_rows, turn == 0 ? 30 : 7 + 1);
    Decoder fresh(target.engine, 200);
    EXPECT_EQ(fresh.decode(text, sampler, nullptr, {.max_new = 10}).tokens, kept.tokens)
        << "turn " << turn;
    text.insert(text.end(), kept.tokens.begin(), kept.tokens.end());
    for (const Token token : test::random_tokens(7, vocab, static_cast<std::uint64_t>(turn)))
      text.push_back(token);
  }
  // Going back to a shorter text, and the same text again.
  text.resize(33);
  for (int again = 0; again < 2; ++again) {
    Decoder fresh(target.engine, 200);
    const DecodeResult kept = decoder.decode(text, sampler, nullptr, {.max_new = 10});
    EXPECT_EQ(kept.stats.prefilled_rows, 1);
    EXPECT_EQ(kept.tokens, fresh.decode(text, sampler, nullptr, {.max_new = 10}).tokens);
  }
}

TEST(DecodeLoop, CountsTheDraftsOfEachTextAlone) {
  test::TinyEngine target(model::WeightType::kQ4_1, 2, 1);
  const auto prompt = test::random_tokens(30, 6, 5);
  Decoder decoder(target.engine, 200);
  draft::ContextNgram drafter({.query = 1, .draft_length = 2, .drafts = 3});
  const sampling::Sampler sampler(kGreedy, target.engine.config().vocab, 9);
  const DecodeResult first = decoder.decode(prompt, sampler, &drafter, {.max_new = 40});
  const DecodeResult second = decoder.decode(prompt, sampler, &drafter, {.max_new = 40});
  EXPECT_GT(first.stats.rows.tokens, 20);
  EXPECT_EQ(second.stats.rows, first.stats.rows);
}

TEST(DecodeLoop, EndsAtAnEndTokenAtAnyPositionOfADraft) {
  test::TinyEngine target(model::WeightType::kF32, 3, 1);
  const int vocab = target.engine.config().vocab;
  const auto prompt = test::random_tokens(20, vocab, 3);
  const auto plain = decode_fresh(target.engine, prompt, kEverything, nullptr, {.max_new = 30});
  std::vector<Token> text = prompt;
  text.insert(text.end(), plain.tokens.begin(), plain.tokens.end());
  for (std::size_t at = 0; at < plain.tokens.size(); ++at) {
    const Token end = plain.tokens[at];
    const std::size_t first = static_cast<std::size_t>(
        std::find(plain.tokens.begin(), plain.tokens.end(), end) - plain.tokens.begin());
    KnownTextDrafter drafter(text, vocab, at);
    const auto cut = decode_fresh(target.engine, prompt, kEverything, &drafter,
                                  {.max_new = 30, .end_tokens = {end}});
    EXPECT_EQ(cut.finish, FinishReason::kStop);
    EXPECT_EQ(cut.tokens,
              std::vector<Token>(plain.tokens.begin(),
                                 plain.tokens.begin() + static_cast<std::ptrdiff_t>(first) + 1));
  }
}

TEST(DecodeLoop, EndsWhereTheContextDoesWithTheSameText) {
  test::TinyEngine target(model::WeightType::kF32, 4, 1);
  const int vocab = target.engine.config().vocab;
  const auto prompt = test::random_tokens(20, vocab, 3);
  const auto plain = decode_fresh(target.engine, prompt, kGreedy, nullptr, {.max_new = 100}, 50);
  EXPECT_EQ(plain.finish, FinishReason::kContext);
  EXPECT_EQ(plain.tokens.size(), 30u);
  std::vector<Token> text = prompt;
  text.insert(text.end(), plain.tokens.begin(), plain.tokens.end());
  KnownTextDrafter drafter(text, vocab, 1);
  const auto drafted = decode_fresh(target.engine, prompt, kGreedy, &drafter, {.max_new = 100}, 50);
  EXPECT_EQ(drafted.finish, FinishReason::kContext);
  EXPECT_EQ(drafted.tokens, plain.tokens);
  EXPECT_THROW(
      decode_fresh(target.engine, test::random_tokens(50, vocab, 1), kGreedy, nullptr, {}, 50),
      InputError);
  EXPECT_THROW(decode_fresh(target.engine, {}, kGreedy, nullptr, {}, 50), InputError);
}

TEST(DecodeLoop, StopsForTheListenerAndForAnInterrupt) {
  test::TinyEngine target(model::WeightType::kF32, 5, 1);
  const auto prompt = test::random_tokens(20, target.engine.config().vocab, 3);
  sampling::Sampler sampler(kGreedy, target.engine.config().vocab, 1);
  int received = 0;
  Decoder decoder(target.engine, 200);
  const auto stopped = decoder.decode(prompt, sampler, nullptr, {},
                                      [&](Token, const draft::Origin&) { return ++received < 5; });
  EXPECT_EQ(stopped.finish, FinishReason::kStop);
  EXPECT_EQ(stopped.tokens.size(), 5u);
  int asked = 0;
  const auto broken =
      decoder.decode(prompt, sampler, nullptr, {.interrupted = [&] { return ++asked > 4; }});
  EXPECT_EQ(broken.finish, FinishReason::kInterrupted);
  EXPECT_LT(broken.tokens.size(), 6u);
  EXPECT_EQ(broken.tokens, std::vector<Token>(stopped.tokens.begin(),
                                              stopped.tokens.begin() + static_cast<std::ptrdiff_t>(
                                                                           broken.tokens.size())));
}

/// Waits in the calls that `slow_in` names, and divides the time between two names.
class Slow : public draft::Drafter {
 public:
  explicit Slow(const char* slow_in) : slow_in_(slow_in) {}

  std::string name() const override { return "slow"; }
  draft::DrafterReport report(double seconds) const override {
    return {{{"left", seconds / 4}, {"right", seconds * 3 / 4}}, {}};
  }
  draft::DrafterTraits traits() const override { return {.wants = {.layers = {1}}}; }
  void observe(const engine::Pass&, const draft::ObservedRows& rows) override {
    sleep_in(rows.kept.size() > 2 ? "prefill" : "observe");
  }
  void fill(const draft::DraftContext&, draft::TokenTree& tree) override {
    sleep_in("draft");
    tree.add(0, 0);
  }
  void verified(std::span<const int>, Token) override { sleep_in("verified"); }
  void sleep_in(const std::string& place) const {
    if (place == slow_in_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

 private:
  std::string slow_in_;
};

TEST(DecodeLoop, TellsTheTimeOfDraftingFromThatOfTheTargetAndOfTheRest) {
  constexpr double kLeast = 4 * 5e-3;  // of four steps that sleep; the last text's end is not timed
  test::TinyEngine target(model::WeightType::kF32, 5, 1);
  const auto prompt = test::random_tokens(20, target.engine.config().vocab, 3);
  for (const char* place : {"draft", "observe", "verified", "prefill", "listener"}) {
    SCOPED_TRACE(place);
    Slow slow(place);
    sampling::Sampler sampler({.temperature = 1}, target.engine.config().vocab, 1);
    Decoder decoder(target.engine, 200);
    // Its drafts are right, so that a pass hands out two tokens.
    const DecodeStats stats = decoder
                                  .decode(prompt, sampler, &slow, {.given = std::vector<Token>(16)},
                                          [&](Token, const draft::Origin&) {
                                            slow.sleep_in("listener");
                                            return true;
                                          })
                                  .stats;
    ASSERT_EQ(stats.draft_seconds.size(), 2U);
    EXPECT_EQ(stats.draft_seconds[1].name, "right");
    EXPECT_DOUBLE_EQ(stats.draft_seconds[1].seconds, 3 * stats.draft_seconds[0].seconds);
    const double drafting = 4 * stats.draft_seconds[0].seconds;
    const double timed = drafting + stats.verify_seconds + stats.sample_seconds;
    EXPECT_GT(stats.verify_seconds, 0);
    EXPECT_GT(stats.sample_seconds, 0);
    double other = 0;
    for (const draft::DrafterResults& one : stats.by_drafter) other += one.other_seconds;
    EXPECT_LE(timed + other, stats.decode_seconds);
    const std::string slow_in = place;
    if (slow_in == "listener") {
      EXPECT_GE(stats.decode_seconds - timed, 15 * 5e-3);
      EXPECT_GE(other, 15 * 5e-3);
      EXPECT_LT(drafting, kLeast);
    } else if (slow_in == "prefill") {
      EXPECT_GE(stats.prefill_seconds, 5e-3);
      EXPECT_LT(drafting, 5e-3);
    } else {
      EXPECT_GE(drafting, kLeast);
    }
  }
}

}  // namespace
}  // namespace outrider::decode
