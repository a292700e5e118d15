#include "runtime/commands/shown_text.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

/// What is written while a text becomes `parts` one after the other.
std::string written(bool coloured, const std::vector<std::string>& parts,
                    const std::vector<int>& sources = {}) {
  decode::Attribution copied(50, 2);
  ShownText shown(coloured);
  testing::internal::CaptureStdout();
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += parts[i];
    copied.push(i < sources.size() ? sources[i] : draft::Origin::kNone);
    shown.show({text, text.size(), copied, false});
  }
  shown.show({text, text.size(), copied, true});
  return testing::internal::GetCapturedStdout();
}

TEST(ShownText, EndsWithALineEndWhetherTheTextHasOneOrNot) {
  EXPECT_EQ(written(false, {"a", "", "bc"}), "abc\n");
  EXPECT_EQ(written(false, {"a", "b\n"}), "ab\n");
  EXPECT_EQ(written(false, {}), "\n");
}

TEST(ShownText, ColoursWhatWasCopied) {
  EXPECT_EQ(written(true, {"a", "b", "c", "d"}, {-1, 7, 8, -1}), "\x1b[36mabc\x1b[0md\n");
}

TEST(ShownText, BeginsAnewWithTheNextText) {
  decode::Attribution copied(50, 2);
  ShownText shown(false);
  testing::internal::CaptureStdout();
  for (const std::string text : {"one", "two"}) {
    shown.show({text, text.size(), copied, false});
    shown.show({text, text.size(), copied, true});
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one\ntwo\n");
}

}  // namespace
}  // namespace outrider
