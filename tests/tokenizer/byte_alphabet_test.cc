#include "runtime/tokenizer/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>

namespace outrider::text {
namespace {

TEST(ByteAlphabet, WritesEachByteAsOneLetterOfItsOwnAndReadsItBack) {
  std::set<std::string> letters;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    const std::string letter = to_byte_alphabet(bytes);
    letters.insert(letter);
    EXPECT_EQ(from_byte_alphabet(letter), bytes);
  }
  EXPECT_EQ(letters.size(), 256u);
}

// As in GPT-2's encoder.json.
TEST(ByteAlphabet, UsesTheLettersOfGpt2) {
  EXPECT_EQ(to_byte_alphabet(" the\n"), "ĠtheĊ");
  EXPECT_EQ(to_byte_alphabet("é"), "Ã©");
  EXPECT_EQ(to_byte_alphabet(std::string("\0\x7F\xA0\xAD\xFF", 5)), "ĀġłŃÿ");
}

TEST(ByteAlphabet, TakesATokenOutsideTheAlphabetForItsOwnBytes) {
  EXPECT_EQ(from_byte_alphabet("中"), "中");
  EXPECT_EQ(from_byte_alphabet("a b"), "a b");  // a space is not in the alphabet
  EXPECT_EQ(from_byte_alphabet("ń"), "ń");      // U+0144, the first after the alphabet
}

}  // namespace
}  // namespace outrider::text
