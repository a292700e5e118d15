#include "runtime/tokenizer/normal_form.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace outrider::text {
namespace {

TEST(NormalFormC, ComposesLettersAndMarks) {
  EXPECT_EQ(normal_form_c("cafe\u0301 A\u030a"), "caf\u00e9 \u00c5");
  EXPECT_EQ(normal_form_c("\u212b"), "\u00c5");                  // the unit of length
  EXPECT_EQ(normal_form_c("\u1112\u1161\u11ab"), "\ud55c");      // a syllable
  EXPECT_EQ(normal_form_c("\ufb01 x\u00b2"), "\ufb01 x\u00b2");  // not form KC
  EXPECT_EQ(normal_form_c("q\u0307\u0323"), "q\u0323\u0307");    // marks in order
  EXPECT_EQ(normal_form_c("plain \u00e9 \u02b0"), "plain \u00e9 \u02b0");
}

TEST(NormalFormC, LeavesMarksUnknownToHuggingFaceUnchanged) {
  EXPECT_EQ(normal_form_c("a\u0301\u089b\u0334"), "\u00e1\u089b\u0334");
}

TEST(NormalFormC, OrdersLongRunsOfMarksAtOnce) {
  constexpr int kMarks = 50'000;
  std::string text = "q", above, below;
  for (int i = 0; i < kMarks; ++i) {
    above += "\u0307";
    below += "\u0323";
  }
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(normal_form_c(text + above + below), text + below + above);
  // The square of their number would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

}  // namespace
}  // namespace outrider::text
