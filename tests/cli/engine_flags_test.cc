#include "runtime/cli/engine_flags.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace outrider::cli {
namespace {

constexpr std::int64_t kGigabyte = 1'000'000'000;

/// What loading shows that takes so long for its first half.
std::string shown(std::chrono::milliseconds half, bool quiet) {
  testing::internal::CaptureStderr();
  const engine::EngineOptions options = engine_options({}, quiet);
  options.on_read(0, 4 * kGigabyte);
  std::this_thread::sleep_for(half);
  options.on_read(2 * kGigabyte, 4 * kGigabyte);
  options.on_read(4 * kGigabyte, 4 * kGigabyte);
  return testing::internal::GetCapturedStderr();
}

TEST(EngineOptions, ShowHowFarLoadingIsOnceItHasTakenASecond) {
  const std::string text = shown(std::chrono::milliseconds(1050), false);
  EXPECT_EQ(text.rfind("4000 of 4000 MB of weights read, ", 0), 0U) << text;
  EXPECT_NE(text.find("/s, "), std::string::npos) << text;
  EXPECT_EQ(shown(std::chrono::milliseconds(1050), true), "");
  EXPECT_EQ(shown(std::chrono::milliseconds(1), false), "");
}

}  // namespace
}  // namespace outrider::cli
