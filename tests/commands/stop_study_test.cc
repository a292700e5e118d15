#include "runtime/commands/stop_study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/commands/stop_evaluation.h"
#include "runtime/draft/stop/confidence.h"
#include "runtime/draft/stop/heuristic_length.h"
#include "runtime/draft/stop/static_length.h"

namespace outrider {
namespace {

struct TokenOfText {
  bool accepted;
  double q;
};
// Rounds of the oracle: two tokens and a rejected one, three and one, none and one.
const std::vector<TokenOfText> kTokens = {{true, 0.9}, {true, 0.4}, {false, 0.3}, {true, 0.9},
                                          {true, 0.8}, {true, 0.7}, {false, 0.8}, {false, 0.2}};

StopEvaluation evaluated(std::unique_ptr<draft::StopPolicy> policy, int longest) {
  StopEvaluation evaluation(std::move(policy), longest);
  evaluation.start();
  for (std::size_t i = 0; i < kTokens.size(); ++i)
    evaluation.add({0, static_cast<float>(std::log(kTokens[i].q)), static_cast<std::int64_t>(i)},
                   kTokens[i].accepted);
  return evaluation;
}

TEST(StopEvaluation, AStaticLengthPredictsAcceptanceUpToIt) {
  const StopEvaluation two = evaluated(std::make_unique<draft::StaticLength>(), 2);
  EXPECT_EQ(two.confusion().true_positives, 4);
  EXPECT_EQ(two.confusion().false_positives, 1);
  EXPECT_EQ(two.confusion().false_negatives, 1);
  EXPECT_EQ(two.confusion().true_negatives, 2);
  EXPECT_FALSE(two.has_auc());
}

TEST(StopEvaluation, APolicyThatLooksAtTokensPredictsAcceptanceWhereItGoesOn) {
  const StopEvaluation half = evaluated(std::make_unique<draft::Confidence>(0.5, false), 9);
  EXPECT_EQ(half.confusion().true_positives, 4);
  EXPECT_EQ(half.confusion().false_positives, 1);
  EXPECT_EQ(half.confusion().false_negatives, 1);
  EXPECT_EQ(half.confusion().true_negatives, 2);
  // Of 5 times 3 pairs two are the wrong way round and one a tie.
  ASSERT_TRUE(half.has_auc());
  EXPECT_DOUBLE_EQ(half.auc(), (15 - 2 - 0.5) / 15);
  const StopEvaluation one = evaluated(std::make_unique<draft::Confidence>(0.5, false), 1);
  EXPECT_EQ(one.confusion().true_positives, 2) << "not beyond the longest round";
}

TEST(StopEvaluation, AHeuristicLengthFollowsTheRounds) {
  // 3 tokens, of which one is rejected, then 2, which are accepted, then 3.
  const StopEvaluation evaluation = evaluated(std::make_unique<draft::HeuristicLength>(3), 3);
  EXPECT_EQ(evaluation.confusion().true_positives, 2 + 2);
  EXPECT_EQ(evaluation.confusion().false_positives, 1 + 0 + 1);
  EXPECT_EQ(evaluation.confusion().total(), 8);
}

TEST(OracleLengths, AreCountedByLengthAndPosition) {
  OracleLengths lengths;
  lengths.add({7, 3, 13, 21, 8});  // the example of the paper's appendix A
  EXPECT_DOUBLE_EQ(lengths.mean(), 52 / 5.0);
  EXPECT_NEAR(lengths.deviation(), std::sqrt((49 + 9 + 169 + 441 + 64) / 5.0 - 10.4 * 10.4), 1e-9);
  EXPECT_EQ(lengths.counts[13], 1);
  EXPECT_EQ(lengths.sums[0], 7);
  EXPECT_EQ(lengths.sums[2], 3);
  EXPECT_EQ(lengths.sums[5], 13);
  EXPECT_EQ(lengths.sums[7], 21);
  EXPECT_EQ(lengths.sums[9], 8);
  lengths.add({4});
  lengths.add({});
  EXPECT_EQ(lengths.sums[0], 11);
  EXPECT_EQ(lengths.rounds[0], 2);
}

TEST(PairedRatio, IsOfPromptsNotOfSums) {
  StopCell one, other;
  one.seconds_per_token = {0.5, 3, 7};
  other.seconds_per_token = {1, 2, 0};  // the last text has one token
  const PairedMean found = paired_ratio(one, other);
  EXPECT_DOUBLE_EQ(found.mean, 1);
  EXPECT_NEAR(found.half, 1.96 * std::sqrt(0.5 / 2), 1e-12);
}

/// A policy that took so many seconds for one token of each text.
StopCell timed(const std::string& name, const std::vector<double>& seconds) {
  StopCell cell = {.name = name, .settings = ""};
  cell.seconds_per_token = seconds;
  for (const double one : seconds) cell.sums.seconds += one;
  cell.sums.tokens = static_cast<std::int64_t>(seconds.size());
  return cell;
}

TEST(SavedTime, IsAShareOfWhatIsBetweenTheBestStaticLengthAndTheOracle) {
  StopStudy study;
  study.cells = {timed("target", {10, 10}),     timed("static-5", {8, 8}),
                 timed("static-opt", {7, 9.5}), timed("heuristic", {9, 9}),
                 timed("disco", {6, 8}),        timed("oracle", {4, 4})};
  const auto disco = saved_time(study.cells[4], study);
  ASSERT_TRUE(disco);
  EXPECT_EQ(disco->fixed, "static-5");
  EXPECT_DOUBLE_EQ(disco->of_fixed.mean, (6 / 8.0 + 1) / 2);
  EXPECT_DOUBLE_EQ(disco->share, (8 - 7) / (8 - 4.0));
  EXPECT_DOUBLE_EQ(saved_time(study.cells[3], study)->share, -0.25);
  for (const std::size_t neither : {0U, 1U, 2U, 5U})
    EXPECT_FALSE(saved_time(study.cells[neither], study));
  EXPECT_NE(
      study_text(study).find("disco takes 0.875 ± 0.245 of the time of static-5, and saves 25 %"),
      std::string::npos)
      << study_text(study);
  study.cells.pop_back();
  EXPECT_FALSE(saved_time(study.cells[4], study)) << "rejection has no oracle";
}

}  // namespace
}  // namespace outrider
