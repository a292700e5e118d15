#include <gtest/gtest.h>

#include <cmath>

#include "runtime/draft/stop/make_stop_policy.h"

namespace outrider::draft {
namespace {

constexpr int kLongestRound = 9;

/// How many tokens a round has whose tokens have these probabilities, the last one again and again.
int round_of(StopPolicy& policy, const std::vector<double>& probabilities = {0.5}) {
  for (int number = 1; number < kLongestRound; ++number) {
    const auto i = std::min(static_cast<std::size_t>(number), probabilities.size()) - 1;
    if (policy.stops({number, static_cast<float>(std::log(probabilities[i]))})) return number;
  }
  return kLongestRound;
}

std::unique_ptr<StopPolicy> policy(const std::string& name, double threshold = 0) {
  const auto classifier = std::make_shared<const StopClassifier>();
  return make_stop_policy({name, kLongestRound, threshold, classifier});
}

TEST(StopPolicies, AreMadeByTheirNames) {
  for (const std::string& name : stop_policy_names()) EXPECT_NE(policy(name), nullptr);
  EXPECT_THROW(policy("never"), std::logic_error);
}

TEST(StaticLength, DraftsTheLongestRoundsAlways) {
  const auto fixed = policy("static");
  for (const int accepted : {0, kLongestRound, 1}) {
    EXPECT_EQ(round_of(*fixed, {1e-30}), kLongestRound);
    fixed->verified(kLongestRound, accepted);
  }
}

TEST(Confidence, StopsAfterTheFirstTokenThatIsImprobable) {
  const auto half = policy("confidence", 0.5);
  EXPECT_EQ(round_of(*half, {0.4}), 1);
  EXPECT_EQ(round_of(*half, {0.9, 0.51, 0.49, 0.9}), 3);
  EXPECT_EQ(round_of(*half, {0.9}), kLongestRound);
  EXPECT_EQ(round_of(*policy("confidence", 0), {1e-30}), kLongestRound);
  EXPECT_EQ(round_of(*policy("confidence", 1), {0.999}), 1);
  EXPECT_EQ(round_of(*policy("confidence", 1), {1}), kLongestRound) << "certain";
  EXPECT_EQ(round_of(*policy("confidence", 1.1), {1}), 1);
  // The product of the round's probabilities: 0.9, 0.72, 0.504, 0.45.
  const auto path = policy("path", 0.5);
  EXPECT_EQ(round_of(*path, {0.9, 0.8, 0.7, 0.9}), 4);
  EXPECT_EQ(round_of(*path, {0.9, 0.8, 0.7, 0.9}), 4) << "each round begins anew";
  EXPECT_EQ(round_of(*path, {0.4}), 1);
  EXPECT_EQ(round_of(*policy("path", 0), {1e-30, 1e-30}), kLongestRound);
}

TEST(HeuristicLength, GrowsByTwoAndFallsByOne) {
  const auto length = policy("heuristic");
  EXPECT_EQ(round_of(*length), 5);
  length->verified(5, 5);
  EXPECT_EQ(round_of(*length), 7);
  length->verified(7, 6);
  EXPECT_EQ(round_of(*length), 6);
  for (int round = 0; round < 3; ++round) length->verified(6, 6);
  EXPECT_EQ(round_of(*length), kLongestRound);
  length->verified(kLongestRound, 0);
  EXPECT_EQ(round_of(*length), kLongestRound - 1) << "it falls at once from the longest";
  for (int round = 0; round < 20; ++round) length->verified(3, 2);
  EXPECT_EQ(round_of(*length), 1);
  length->start();
  EXPECT_EQ(round_of(*length), 5) << "of another text";
  EXPECT_EQ(round_of(*make_stop_policy({"heuristic", 2, 0})), 2);
}

}  // namespace
}  // namespace outrider::draft
