#include "runtime/cost/drafted_rounds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <tuple>

#include "runtime/cost/stop_trials.h"
#include "runtime/cost/trial_prices.h"
#include "runtime/draft/stop/heuristic_length.h"

namespace outrider::cost {
namespace {

using Round = std::array<int, 3>;  // drafted, accepted, tokens

struct Text {
  std::vector<std::uint8_t> counted, accepted;
  std::vector<float> score;
  DraftedText spans() const { return {counted, accepted, score}; }
};

std::vector<Round> rounds_of(const Text& text, const RoundEnd& end) {
  std::vector<Round> rounds;
  for_each_round(text.spans(), end, [&](int drafted, int accepted, int tokens) {
    rounds.push_back({drafted, accepted, tokens});
  });
  return rounds;
}

const Text kText = {{1, 1, 1, 1, 1, 1, 1, 1},
                    {1, 1, 0, 1, 1, 1, 0, 1},
                    {0.9F, 0.8F, 0.2F, 0.9F, 0.9F, 0.9F, 0.3F, 0.9F}};

TEST(DraftedRounds, AreThoseOfDecoding) {
  EXPECT_EQ(rounds_of(kText, {3, 0}), (std::vector<Round>{{3, 2, 3}, {3, 3, 4}, {0, 0, 1}}));
  EXPECT_EQ(rounds_of(kText, {1, 0}),
            (std::vector<Round>{{1, 1, 2}, {1, 0, 1}, {1, 1, 2}, {1, 1, 2}, {0, 0, 1}}));
  EXPECT_EQ(rounds_of(kText, {9, 0.25}), (std::vector<Round>{{3, 2, 3}, {4, 3, 4}, {0, 0, 1}}))
      << "the token with the low score is drafted too";
  EXPECT_EQ(rounds_of(kText, {9, 2}), rounds_of(kText, {1, 0})) << "one a round";
}

TEST(DraftedRounds, OfAPolicyFollowWhatBecameOfTheRoundsBefore) {
  std::vector<Round> rounds;
  draft::HeuristicLength heuristic(4);
  for_each_round(kText.spans(), heuristic, 4, [&](int drafted, int accepted, int tokens) {
    rounds.push_back({drafted, accepted, tokens});
  });
  // Four, of which one is rejected, then three, all accepted.
  EXPECT_EQ(rounds, (std::vector<Round>{{4, 2, 3}, {3, 3, 4}, {0, 0, 1}}));
  const std::vector<DraftedText> twice = {kText.spans(), kText.spans()};
  const TrialCounts sums = count_rounds(twice, heuristic, 4);
  EXPECT_EQ(std::tuple(sums.rounds, sums.tokens, sums.drafted), std::tuple(6, 16, 14))
      << "each text begins anew";
  EXPECT_EQ(sums.verified.with(5), 2);
  EXPECT_EQ(sums.verified.with(4), 2);
  EXPECT_EQ(sums.verified.with(1), 2);
  EXPECT_EQ(sums.drafting.with(1), 14);
}

TEST(DraftedRounds, EndByTheSumOfTheirScores) {
  Text text = kText;
  for (float& score : text.score) score = std::log(score);
  const auto product = [](double least) { return RoundEnd{9, std::log(least), true}; };
  // .9 .72 .144; .9 .81 .729 .219
  EXPECT_EQ(rounds_of(text, product(0.7)), (std::vector<Round>{{3, 2, 3}, {4, 3, 4}, {0, 0, 1}}));
  EXPECT_EQ(rounds_of(text, product(0.8)), (std::vector<Round>{{2, 2, 3}, {3, 3, 4}, {0, 0, 1}}))
      << "no token of these is below it";
  EXPECT_EQ(rounds_of(text, product(0)), rounds_of(text, {9, -1e9}));
}

TEST(DraftedRounds, LeaveOutLoops) {
  Text text = kText;
  text.counted = {1, 1, 0, 0, 0, 1, 1, 1};
  EXPECT_EQ(rounds_of(text, {3, 0}), (std::vector<Round>{{3, 2, 2}, {2, 1, 2}, {0, 0, 1}}));
}

TEST(DraftedRounds, AreTriedWithEveryThresholdAndLength) {
  Text text = kText;
  for (float& score : text.score) score = std::log(score);
  const std::vector<DraftedText> texts = {text.spans()};
  const std::vector<Trial> fixed = try_stops(texts, {}, 3);
  ASSERT_EQ(fixed.size(), 3U);
  EXPECT_EQ(fixed[0].settings, (SettingValues{{"draft-stop", "static"}, {"draft-length", 1.0}}));
  EXPECT_EQ(fixed[0].shape, Shape::kChain);
  // {1, 1, 1, 1, 0} drafted: five passes, 8 tokens.
  EXPECT_EQ(std::tuple(fixed[0].rounds, fixed[0].tokens, fixed[0].drafted), std::tuple(5, 8, 4));
  EXPECT_EQ(fixed[2].drafted, 6) << "{3, 3, 0}";
  const std::vector<Trial> stopped = try_stops(texts, {"confidence", false, {0.25, 0.85}}, 3);
  ASSERT_EQ(stopped.size(), 6U);
  EXPECT_EQ(stopped[4].settings,
            (SettingValues{
                {"draft-stop", "confidence"}, {"draft-length", 2.0}, {"draft-threshold", 0.85}}));
  EXPECT_EQ(stopped[2].drafted, 6) << "the token with the low score is drafted too";
  EXPECT_EQ(stopped[5].rounds, static_cast<int>(rounds_of(text, {3, std::log(0.85)}).size()));
  const TrialPrices prices = {
      CostModel({{{Shape::kChain, 1, 0}, 1}, {{Shape::kTree, 1, 0}, 1}}), 0, {1}, {0.2}};
  EXPECT_DOUBLE_EQ(prices.speed(fixed[0], Shape::kChain), 8 / (5 + 4 * 0.2));
}

TEST(DraftedRounds, OfTokensAndOfPathsAreTriedSideBySide) {
  Text text = kText;
  text.score.assign(text.score.size(), static_cast<float>(std::log(0.8)));
  const std::vector<DraftedText> texts = {text.spans()};
  const Trial of_token = try_stops(texts, {"confidence", false, {0.7}}, 3).back(),
              of_path = try_stops(texts, {"path", true, {0.7}}, 3).back();
  // {3, 3, 0}, since no token is below it; of two tokens the product is.
  EXPECT_EQ(of_token.rounds, 3);
  EXPECT_EQ(of_token.drafted, 6);
  EXPECT_EQ(of_path.rounds, 4);
  EXPECT_LT(of_path.drafted, of_token.drafted);
  const RoundEnd end = end_of(of_path, true);
  EXPECT_EQ(end.length, 3);
  EXPECT_DOUBLE_EQ(end.least, std::log(0.7));
  EXPECT_TRUE(end.of_sum);
}

TEST(DraftedRounds, OfAnOracleAreTheFewestAndNothingIsRejected) {
  const std::vector<DraftedText> texts = {kText.spans()};
  const TrialCounts whole = count_oracle_rounds(texts);
  EXPECT_EQ(std::tuple(whole.rounds, whole.tokens, whole.drafted), std::tuple(3, 8, 5))
      << "{2, 3, 0} drafted";
  Text text = kText;
  text.counted = {1, 1, 0, 0, 0, 1, 1, 1};
  const TrialCounts cut = count_oracle_rounds(std::vector<DraftedText>{text.spans()});
  EXPECT_EQ(std::tuple(cut.rounds, cut.tokens, cut.drafted), std::tuple(3, 5, 2))
      << "{1}, the target's own token being the last before the loop; {1, 0}";
}

}  // namespace
}  // namespace outrider::cost
