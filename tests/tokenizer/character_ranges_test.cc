#include "runtime/tokenizer/character_ranges.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/tokenizer/small_spec.h"

namespace outrider::text {
namespace {

/// Bytes are tokens 0 to 255, 256 is "€" whole, 257 a control token.
const Tokenizer& tokenizer() {
  static const Tokenizer one{test::small_spec(
      {}, {{to_byte_alphabet("€"), TokenKind::kNormal}, {"<end>", TokenKind::kControl}})};
  return one;
}

std::vector<std::pair<int, int>> ranges(const std::vector<Token>& tokens, bool show_special) {
  std::vector<std::pair<int, int>> all;
  for (const CharacterRange& range : character_ranges(tokenizer(), tokens, show_special))
    all.emplace_back(range.begin, range.end);
  return all;
}

TEST(CharacterRanges, TokensOfOneCharacterShareIt) {
  using Ranges = std::vector<std::pair<int, int>>;
  EXPECT_EQ(ranges({'a', 0xC3, 0xA9, 256, 'b'}, true),
            (Ranges{{0, 1}, {1, 2}, {1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(ranges({257, 'a'}, true), (Ranges{{0, 5}, {5, 6}}));
  EXPECT_EQ(ranges({257, 'a'}, false), (Ranges{{0, 0}, {0, 1}}));
}

TEST(CharacterRanges, TogetherTheyAreTheDecodedText) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<Token> tokens;
    for (int i = 0; i < 12; ++i) {
      constexpr Token kSome[] = {'a', 0xF0, 0x9F, 0x98, 0x80, 0xC3, 256, 257};
      tokens.push_back(kSome[random() % 8]);
    }
    const auto all = character_ranges(tokenizer(), tokens, true);
    EXPECT_EQ(all.front().begin, 0);
    EXPECT_EQ(all.back().end, count_characters(tokenizer().decode(tokens, true)));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::span<const Token> until(tokens.data(), i + 1);
      EXPECT_EQ(all[i].end, count_characters(tokenizer().decode(until, true)));
    }
  }
}

}  // namespace
}  // namespace outrider::text
