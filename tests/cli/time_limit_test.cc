#include "runtime/cli/time_limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/base/interrupted.h"
#include "runtime/cli/shown_watch.h"

namespace outrider::cli {
namespace {

TEST(TimeLimit, IsOverAfterItsMinutes) {
  const TimeLimit never, now(1e-9), later(5);
  EXPECT_FALSE(never.is_over());
  EXPECT_EQ(never.minutes(), 0);
  EXPECT_TRUE(now.is_over());
  EXPECT_FALSE(later.is_over());
  EXPECT_EQ(later.minutes(), 5);
  EXPECT_FALSE(TimeLimit(1e300).is_over());
}

TEST(TimeLimit, OfAPartIsOverWithTheWhole) {
  const TimeLimit never, now(1e-9), later(5);
  EXPECT_TRUE(later.within(now).is_over());
  EXPECT_EQ(later.within(now).minutes(), 5);
  EXPECT_TRUE(now.within(later).is_over());
  EXPECT_TRUE(never.within(now).is_over());
  EXPECT_FALSE(never.within(later).is_over());
}

TEST(TimeLimit, EndsTheWorkOfAWatchAndIsTold) {
  const TimeLimit limit(0.0005);
  ShownWatch watch("calibrate heads", limit, true);
  EXPECT_FALSE(watch.interrupted());
  testing::internal::CaptureStderr();
  const auto work = [&] {
    while (!watch.interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Interrupted();
  };
  EXPECT_THROW(keep_to(limit, work), Interrupted);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("stopped after --minutes 0.0005"), std::string::npos) << text;
  EXPECT_FALSE(ShownWatch("train disco", TimeLimit(), true).interrupted());
}

TEST(TimeLimit, SaysNothingOfAnotherReason) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(keep_to(TimeLimit(5), [] { throw Interrupted(); }), Interrupted);
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
