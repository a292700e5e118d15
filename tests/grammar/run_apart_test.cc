#include "runtime/grammar/run_apart.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/expect_input_error.h"

namespace outrider::grammar {
namespace {

TEST(RunApart, GivesWhatTheWorkReturnsAndChangesNothingHere) {
  int here = 1;
  const std::string large(5'000'000, 'x');  // more than a pipe holds
  EXPECT_EQ(run_apart([&] {
              here = 2;
              return large + std::to_string(here);
            }),
            large + "2");
  EXPECT_EQ(here, 1);
  EXPECT_EQ(run_apart([] { return std::string(); }), "");
}

TEST(RunApart, PassesOnWhatItThrows) {
  test::expect_input_error(
      [] { run_apart([]() -> std::string { throw std::runtime_error("a bad schema"); }); },
      "a bad schema");
}

TEST(RunApart, GivesUpWorkThatTakesTooLong) {
  const ApartLimits limits = {.processor = std::chrono::seconds(1)};
  test::expect_input_error(
      [&] {
        run_apart(
            []() -> std::string {
              for (volatile int turns = 0;;) turns = turns + 1;
            },
            limits);
      },
      "more than 1 s");
}

TEST(RunApart, GivesUpWorkThatWaitsForever) {
  const ApartLimits limits = {.wall = std::chrono::seconds(1)};
  test::expect_input_error(
      [&] {
        run_apart(
            []() -> std::string {
              for (;;) ::pause();
            },
            limits);
      },
      "it takes more");
}

TEST(RunApart, GivesUpWorkThatNeedsTooMuchMemory) {
  if (OUTRIDER_SANITIZED != 0) GTEST_SKIP() << "sanitizers reserve more than any limit";
  const ApartLimits limits = {.bytes = 64 << 20};
  test::expect_input_error(
      [&] { run_apart([] { return std::string(std::size_t{1} << 30, 'x'); }, limits); },
      "too much memory");
}

TEST(RunApart, OutlivesWorkThatCrashes) {
  test::expect_input_error([] { run_apart([]() -> std::string { std::abort(); }); }, "it takes");
}

}  // namespace
}  // namespace outrider::grammar
