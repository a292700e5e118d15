#include "runtime/cli/progress.h"

#include <gtest/gtest.h>

namespace outrider::cli {
namespace {

TEST(Progress, PrintsPlainLinesWhenNobodyWatches) {
  testing::internal::CaptureStderr();
  {
    Progress progress("prompts", 2);
    progress.show(1);  // too soon for a line
    progress.show(2);
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.rfind("2 of 2 prompts, ", 0), 0u) << text;
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, SaysNothingWhenQuiet) {
  testing::internal::CaptureStderr();
  Progress("prompts", 1, true).show(1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace outrider::cli
