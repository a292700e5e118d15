#include "runtime/commands/stop_report.h"

#include <gtest/gtest.h>

#include <vector>

namespace outrider {
namespace {

/// A policy that took so many seconds for one token of each text.
evaluate::StopCell timed_policy(const std::string& name, const std::vector<double>& seconds) {
  evaluate::StopCell cell = {.name = name, .settings = ""};
  cell.seconds_per_token = seconds;
  for (const double one : seconds) cell.sums.seconds += one;
  cell.sums.tokens = static_cast<std::int64_t>(seconds.size());
  return cell;
}

TEST(StopReport, SaysWhatAPolicySaves) {
  evaluate::StopStudy study;
  study.cells = {timed_policy("target", {10, 10}), timed_policy("static-5", {8, 8}),
                 timed_policy("disco", {6, 8}), timed_policy("oracle", {4, 4})};
  EXPECT_NE(
      study_text(study).find("disco takes 0.875 ± 0.245 of the time of static-5, and saves 25 %"),
      std::string::npos)
      << study_text(study);
}

}  // namespace
}  // namespace outrider
