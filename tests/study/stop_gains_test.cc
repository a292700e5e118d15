#include "data/study/stop_gains.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/timed_policies.h"

namespace outrider::study {
namespace {

using test::timed_policy;
using test::timed_study;

double value(const StopStudy& study, const std::string& policy, StopGain gain) {
  const auto found = stop_gain(study, policy, gain);
  return found ? found->value : -9;
}

TEST(StopGain, IsOfAllTextsTogether) {
  const StopStudy study = timed_study();
  EXPECT_DOUBLE_EQ(value(study, "disco", StopGain::kTimeOfTarget), 14 / 20.0);
  EXPECT_DOUBLE_EQ(value(study, "disco", StopGain::kTimeOfStatic), 14 / 16.0);
  EXPECT_DOUBLE_EQ(value(study, "disco", StopGain::kTimeOfHeuristic), 14 / 18.0);
  EXPECT_DOUBLE_EQ(value(study, "disco", StopGain::kShareOfGap), (16 - 14) / (16 - 8.0));
  EXPECT_DOUBLE_EQ(value(study, "heuristic", StopGain::kShareOfGap), -0.25);
  EXPECT_DOUBLE_EQ(value(study, "static-opt", StopGain::kTimeOfStatic), 16.5 / 16);
}

TEST(StopGain, IsPerToken) {
  StopStudy study = timed_study();
  // As by rejection, where a policy's text is one of its own.
  study.cells[4].tokens_of_texts = {3, 1};
  EXPECT_DOUBLE_EQ(value(study, "disco", StopGain::kTimeOfTarget), (14 / 4.0) / (20 / 2.0));
}

TEST(StopGain, IsUnknownWithoutWhatItIsComparedTo) {
  StopStudy study = timed_study();
  study.cells.pop_back();
  EXPECT_FALSE(stop_gain(study, "disco", StopGain::kShareOfGap)) << "rejection has no oracle";
  EXPECT_TRUE(stop_gain(study, "disco", StopGain::kTimeOfStatic));
  EXPECT_FALSE(stop_gain(study, "path", StopGain::kTimeOfTarget)) << "not studied";
  study.cells.push_back(timed_policy("oracle", {8, 8}));
  EXPECT_FALSE(stop_gain(study, "disco", StopGain::kShareOfGap)) << "no gap";
  study.cells.back() = timed_policy("oracle", {9, 9});
  EXPECT_FALSE(stop_gain(study, "disco", StopGain::kShareOfGap)) << "on a machine that slowed down";
}

TEST(StopGain, TheIntervalIsPaired) {
  // Texts differ tenfold, the policy's share of the heuristic's time hardly.
  StopStudy study;
  std::vector<double> slow, fast;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(1 + i % 10);
    fast.push_back(slow.back() * (i % 2 == 0 ? 0.79 : 0.81));
  }
  study.cells = {timed_policy("target", slow), timed_policy("heuristic", slow),
                 timed_policy("disco", fast)};
  const auto found = stop_gain(study, "disco", StopGain::kTimeOfHeuristic);
  EXPECT_NEAR(found->value, 0.8, 0.003);
  EXPECT_GT(found->low, 0.79);
  EXPECT_LT(found->low, found->value);
  EXPECT_GT(found->high, found->value);
  EXPECT_LT(found->high, 0.81);
}

TEST(StopGain, OfSeveralStudiesIsTheirMean) {
  const StopStudy one = timed_study();
  StopStudy other = one;
  other.cells[4] = timed_policy("disco", {4, 4});
  const auto found = stop_gain(std::vector{one, other}, "disco", StopGain::kShareOfGap);
  EXPECT_DOUBLE_EQ(found->value, (0.25 + 1) / 2);
}

}  // namespace
}  // namespace outrider::study
