#include "calibrate/pld_plus/copy_replay.h"

#include <gtest/gtest.h>

#include <map>

#include "calibrate/pld_plus/choose_settings.h"
#include "calibrate/pld_plus/head_sweep.h"
#include "calibrate/pld_plus/layer_sweep.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/pld_plus.h"
#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

TEST(CopyChance, EndsAtTheLastTokenAndWhereTheTextGoesElsewhere) {
  const std::vector<Token> text = {5, 1, 2, 5, 1, 2, 5, 1, 9};
  EXPECT_EQ(copy_chance(text, 3, 0).available, 3);
  EXPECT_EQ(copy_chance(text, 3, 0).agreeing, 3);
  EXPECT_EQ(copy_chance(text, 6, 3).agreeing, 1);
  EXPECT_EQ(copy_chance(text, 8, 2).agreeing, 0);
}

TEST(Replay, CountsPassesAsDecodingDoes) {
  // Six tokens to come.
  std::vector<CopyChance> chances(6);
  EXPECT_EQ(replay(chances, 10).passes, 6);
  chances[1] = {4, 3};
  const Replay some = replay(chances, 10);
  EXPECT_EQ(some.passes, 3);
  EXPECT_EQ(some.drafted, 4);
  EXPECT_EQ(some.accepted, 3);
  EXPECT_EQ(some.tokens, 6);
  EXPECT_EQ(replay(chances, 2).accepted, 2);
}

TEST(ChooseSettings, TakesTheFastestAndNotTheLongest) {
  // Wherever a draft of at most 100 begins, three of its tokens are right.
  const std::vector<CopyChance> chances(4000, CopyChance{100, 3});
  const auto replayed = [&](int draft_length, double threshold) {
    return threshold < 0 ? replay(chances, draft_length) : replay(chances, 0);
  };
  const auto found =
      choose_settings(replayed, {0.5, -1}, [](int rows) { return 0.9 + 0.1 * rows; });
  EXPECT_EQ(found.plain_tokens_per_second, 1);
  EXPECT_EQ(found.draft_length, 3);
  EXPECT_EQ(found.threshold, -1);
  const std::size_t third = 2 * 2 + 1;  // K = 3 without a threshold
  EXPECT_NEAR(found.tokens_per_second[third], 4 / 1.3, 1e-9);
  EXPECT_NEAR(found.tokens_per_pass[third], 4, 1e-9);
  EXPECT_NEAR(found.drafted_per_pass[third], 3, 1e-2);
  EXPECT_NEAR(found.tokens_per_second.back(), 4 / 10.9, 1e-2);
  EXPECT_NEAR(found.tokens_per_second[0], 1, 1e-9);  // no draft is liked
}

Answer answer_to(const std::vector<Token>& prompt, const std::vector<Token>& made) {
  Answer answer{"p", "t", prompt, static_cast<int>(prompt.size())};
  answer.text.insert(answer.text.end(), made.begin(), made.end());
  return answer;
}

/// A draft is as long in decoding as in the replay, and agrees as far.
void expect_same(const Replay& replayed, const decode::DecodeStats& said) {
  EXPECT_EQ(replayed.passes, said.passes);
  EXPECT_EQ(replayed.drafted, said.drafted);
  EXPECT_EQ(replayed.accepted, said.accepted);
  std::map<int, std::int64_t> passes_by_drafted;
  for (const decode::PassDraft& pass : said.by_pass) ++passes_by_drafted[pass.drafted];
  EXPECT_EQ(replayed.passes_by_drafted, passes_by_drafted);
}

TEST(Replay, AgreesWithDecodingByStates) {
  std::int64_t accepted = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    test::TinyEngine target(model::WeightType::kQ4_1, seed, 1);
    for (const double temperature : {0.0, 0.6, 1.0}) {
      const auto prompt = test::random_tokens(40, 12, seed);
      decode::Sampler sampler({.temperature = temperature}, target.engine.config().vocab, seed);
      for (const int draft_length : {1, 10, 70}) {
        for (const double threshold : {-1.0, 0.6}) {
          draft::PldPlusH drafter({1, draft_length, threshold});
          decode::Decoder decoder(target.engine, 200);
          const auto said = decoder.decode(prompt, sampler, &drafter, {.max_new = 60});
          LayerSweep sweep(target.engine);
          sweep.add(answer_to(prompt, said.tokens));
          const Replay replayed = sweep.replay(1, draft_length, threshold);
          expect_same(replayed, said.stats);
          accepted += replayed.accepted;
        }
      }
    }
  }
  EXPECT_GE(accepted, 100);
}

TEST(Replay, AgreesWithDecodingByAttention) {
  std::vector<engine::Taps::Head> ranking;
  for (const int layer : {2, 1})
    for (const int head : {3, 0, 2, 1}) ranking.push_back({layer, head});
  std::int64_t accepted = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    test::TinyEngine target(model::WeightType::kQ4_1, seed, 1);
    for (const double temperature : {0.0, 0.6, 1.0}) {
      const auto prompt = test::random_tokens(40, 12, seed);
      decode::Sampler sampler({.temperature = temperature}, target.engine.config().vocab, seed);
      decode::Decoder plain(target.engine, 200);
      const auto text = plain.decode(prompt, sampler, nullptr, {.max_new = 60}).tokens;
      HeadSweep sweep(target.engine, ranking, 10);
      sweep.add(answer_to(prompt, text));
      for (const HeadChoice& choice : sweep.choices()) {
        if (choice.layer != HeadChoice::kRanked) continue;
        const std::vector<engine::Taps::Head> heads(ranking.begin(),
                                                    ranking.begin() + choice.count);
        for (const int draft_length : {1, 10, 70}) {
          draft::PldPlusA drafter({heads, choice.aggregation, draft_length});
          decode::Decoder decoder(target.engine, 200);
          const auto said = decoder.decode(prompt, sampler, &drafter, {.max_new = 60});
          ASSERT_EQ(said.tokens, text);
          const Replay replayed = sweep.replay(choice, draft_length);
          expect_same(replayed, said.stats);
          accepted += replayed.accepted;
        }
      }
    }
  }
  EXPECT_GE(accepted, 100);
}

}  // namespace
}  // namespace outrider::calibrate
