#include "runtime/cli/time_limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/cli/interrupt.h"

namespace outrider::cli {
namespace {

void work_until_interrupted() {
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  throw Interrupted();
}

TEST(TimeLimit, InterruptsAndSaysSo) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(keep_to(0.0005, work_until_interrupted), Interrupted);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("stopped after --minutes 0.0005"), std::string::npos) << text;
  EXPECT_FALSE(interrupted()) << "of a limit that is no more";
}

TEST(TimeLimit, OfNoneLetsTheWorkEnd) {
  bool done = false;
  keep_to(0, [&] { done = !interrupted(); });
  EXPECT_TRUE(done);
}

TEST(TimeLimit, SaysNothingOfAnotherReason) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(keep_to(5, [] { throw Interrupted(); }), Interrupted);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Plan, IsOfAllPartsAndTellsWhatDoesNotFit) {
  const std::vector<PlannedPart> parts = {{"3 answers counted", 40}, {"4 tried", 80}};
  EXPECT_EQ(plan_text("calibrate heads", parts, 0),
            "calibrate heads: about 2 min 0 s on this machine\n"
            "  3 answers counted  40 s\n"
            "  4 tried            1 min 20 s\n");
  EXPECT_EQ(plan_text("calibrate heads", parts, 2), plan_text("calibrate heads", parts, 0));
  EXPECT_NE(plan_text("calibrate heads", parts, 1.5).find("it stops after --minutes 1.5"),
            std::string::npos);
}

TEST(Plan, IsShownUnlessQuiet) {
  testing::internal::CaptureStderr();
  announce("train draft", {{"9 steps", 1}}, 0, true);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  announce("train draft", {{"9 steps", 1}}, 0, false);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "train draft: about 1 s on this machine\n  9 steps  1 s\n");
}

}  // namespace
}  // namespace outrider::cli
