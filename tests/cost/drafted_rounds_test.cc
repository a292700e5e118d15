#include "runtime/cost/drafted_rounds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

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
  EXPECT_DOUBLE_EQ(predict_policy(
                       std::vector<DraftedText>{kText.spans(), kText.spans()}, heuristic, 4,
                       [](int rows) { return 1 + 0.1 * (rows - 1); }, 0.2),
                   8 / (3 + 7 * 0.3))
      << "each text begins anew";
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

TEST(DraftedRounds, PredictTimesOfEveryThresholdAndLength) {
  const auto pass = [](int rows) { return 1 + 0.1 * (rows - 1); };
  DraftSettings settings;
  settings.thresholds = {0, 0.25};
  settings.draft_lengths = {1, 3};
  predict_rounds(std::vector<DraftedText>{kText.spans()}, std::vector<double>{0, 0.25}, pass, 0.2,
                 settings);
  ASSERT_EQ(settings.tokens_per_second.size(), 4u);
  EXPECT_DOUBLE_EQ(settings.plain_tokens_per_second, 1);
  // {1, 1, 1, 1, 0} drafted: five passes, 8 tokens.
  EXPECT_DOUBLE_EQ(settings.tokens_per_second[0], 8 / (5 + 4 * 0.3));
  EXPECT_DOUBLE_EQ(settings.tokens_per_round[0], 8 / 5.0);
  EXPECT_DOUBLE_EQ(settings.drafted_per_round[0], 4 / 5.0);
  // {3, 3, 0}
  EXPECT_DOUBLE_EQ(settings.tokens_per_second[1], 8 / (3 + 6 * 0.3));
  EXPECT_EQ(settings.best().draft_length, 3);
}

TEST(DraftedRounds, PredictThresholdsOfTokensAndOfPathsSideBySide) {
  Text text = kText;
  text.score.assign(text.score.size(), static_cast<float>(std::log(0.8)));
  DraftSettings settings;
  settings.thresholds = {0.7, 0.7};
  settings.along_path = {0, 1};
  settings.draft_lengths = {3};
  predict_rounds(
      std::vector<DraftedText>{text.spans()}, std::vector<double>{std::log(0.7), std::log(0.7)},
      [](int) { return 1.0; }, 0.2, settings);
  // {3, 3, 0}, since no token is below it; of two tokens the product is.
  EXPECT_DOUBLE_EQ(settings.drafted_per_round[0], 6 / 3.0);
  EXPECT_EQ(rounds_of(text, {3, std::log(0.7), true}).size(), 4u);
  EXPECT_LT(settings.drafted_per_round[1], settings.drafted_per_round[0]);
  EXPECT_FALSE(settings.cell(0).along_path);
  EXPECT_TRUE(settings.cell(1).along_path);
}

TEST(DraftedRounds, OfAnOracleAreTheFewestAndNothingIsRejected) {
  const auto pass = [](int rows) { return 1 + 0.1 * (rows - 1); };
  const std::vector<DraftedText> texts = {kText.spans()};
  // {2, 3, 0} drafted.
  EXPECT_DOUBLE_EQ(predict_oracle(texts, pass, 0.2), 8 / (3 + 5 * 0.3));
  Text text = kText;
  text.counted = {1, 1, 0, 0, 0, 1, 1, 1};
  // {1}, the target's own token being the last before the loop; {1, 0}.
  EXPECT_DOUBLE_EQ(predict_oracle(std::vector<DraftedText>{text.spans()}, pass, 0.2),
                   5 / (3 + 2 * 0.3));
}

}  // namespace
}  // namespace outrider::cost
