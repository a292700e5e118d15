#include "runtime/evaluate/stop_study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace outrider::evaluate {
namespace {

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
  study.cells.pop_back();
  EXPECT_FALSE(saved_time(study.cells[4], study)) << "rejection has no oracle";
}

}  // namespace
}  // namespace outrider::evaluate
