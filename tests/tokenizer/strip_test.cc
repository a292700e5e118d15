#include "runtime/tokenizer/strip.h"

#include <gtest/gtest.h>

namespace outrider::text {
namespace {

TEST(Strip, RemovesWhatPythonCallsSpaceAtBothEnds) {
  EXPECT_EQ(strip(" \t\n\v\f\rx y\r\n "), "x y");
  EXPECT_EQ(strip("\u00a0\u1680\u2003x\u2028\u2029\u202f\u205f\u3000\u0085"), "x");
  EXPECT_EQ(strip("\x1c\x1d\x1e\x1fx"), "x");
  EXPECT_EQ(strip("\u200bx\u180e"), "\u200bx\u180e");  // no spaces
  EXPECT_EQ(strip(" \n"), "");
  EXPECT_EQ(strip(""), "");
}

TEST(Strip, OfTheEndLeavesTheStart) {
  EXPECT_EQ(strip_end(" x \u3000"), " x");
  EXPECT_EQ(strip_end(" "), "");
}

}  // namespace
}  // namespace outrider::text
