#include "runtime/tokenizer/utf8.h"

#include <gtest/gtest.h>

namespace outrider::text {
namespace {

std::string valid(std::string_view bytes) {
  Utf8Stream stream;
  std::string text = stream.push(bytes);
  return text + stream.flush();
}

/// `count` times U+FFFD.
std::string bad(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "\uFFFD";
  return text;
}

// The examples of the Unicode Standard, tables 3-8 to 3-11 (U+FFFD for maximal subparts).
TEST(Utf8Stream, ReplacesInvalidBytesAsTheUnicodeStandardShows) {
  EXPECT_EQ(valid("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), bad(8) + "A");
  EXPECT_EQ(valid("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), bad(8) + "A");
  EXPECT_EQ(valid("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), bad(5) + "A" + bad(2) + "B");
  EXPECT_EQ(valid("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), bad(4) + "A");
}

TEST(Utf8Stream, ReplacesACharacterCutOffAtTheEndOnce) {
  EXPECT_EQ(valid("a\xF0\x9F\x98"), std::string("a") + bad(1));
  EXPECT_EQ(valid("\xC3"), bad(1));
}

TEST(Utf8Stream, GivesTheSameForAnyPortions) {
  const std::string bytes = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x80z\xE2\x82";
  const std::string expected = std::string("aé€😀") + bad(1) + "z" + bad(1);
  for (unsigned cuts = 0; cuts < 1U << (bytes.size() - 1); ++cuts) {
    Utf8Stream stream;
    std::string text;
    std::string portion;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      portion += bytes[i];
      if (i + 1 < bytes.size() && ((cuts >> i) & 1U) == 0) continue;
      const std::string given = stream.push(portion);
      ASSERT_FALSE(find_invalid_utf8(given)) << "cuts " << cuts;
      text += given;
      portion.clear();
    }
    ASSERT_EQ(text + stream.flush(), expected) << "cuts " << cuts;
  }
}

TEST(Utf8Stream, GivesACharacterWithItsLastByte) {
  Utf8Stream stream;
  EXPECT_EQ(stream.push("\xE2"), "");
  EXPECT_EQ(stream.push("\x82"), "");
  EXPECT_EQ(stream.push("\xAC"), "€");
  EXPECT_EQ(stream.flush(), "");
}

TEST(FindInvalidUtf8, NamesTheFirstBytesThatAreNone) {
  EXPECT_EQ(find_invalid_utf8("aé😀\U0010FFFF\uD7FF\uE000"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\x80"), 2u);
  EXPECT_EQ(find_invalid_utf8("é\xED\xA0\x80"), 2u);     // a surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // U+110000
  EXPECT_EQ(find_invalid_utf8("\xE0\x9F\xBF"), 0u);      // overlong
  EXPECT_EQ(find_invalid_utf8("a\xE2\x82"), 1u);         // incomplete
}

}  // namespace
}  // namespace outrider::text
