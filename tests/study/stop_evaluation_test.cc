#include "data/study/stop_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/draft/stop/confidence.h"
#include "runtime/draft/stop/heuristic_length.h"
#include "runtime/draft/stop/static_length.h"

namespace outrider::study {
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

}  // namespace
}  // namespace outrider::study
