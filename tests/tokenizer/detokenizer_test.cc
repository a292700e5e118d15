#include "runtime/tokenizer/detokenizer.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/expect_input_error.h"
#include "tests/tokenizer/small_pieces.h"
#include "tests/tokenizer/small_spec.h"

namespace outrider::text {
namespace {

class DetokenizerTest : public testing::Test {
 protected:
  /// Bytes are tokens 0 to 255, 256 is "€" whole, 257 a control token.
  const Tokenizer tokenizer_{test::small_spec(
      {}, {{to_byte_alphabet("€"), TokenKind::kNormal}, {"<end>", TokenKind::kControl}})};
};

TEST_F(DetokenizerTest, HoldsBytesBackUntilTheyMakeACharacter) {
  Detokenizer detokenizer(tokenizer_);
  EXPECT_EQ(detokenizer.push('a'), "a");
  EXPECT_EQ(detokenizer.push(0xF0), "");
  EXPECT_EQ(detokenizer.push(0x9F), "");
  EXPECT_EQ(detokenizer.push(0x98), "");
  EXPECT_EQ(detokenizer.push(0x80), "😀");
  EXPECT_EQ(detokenizer.push(256), "€");
  EXPECT_EQ(detokenizer.flush(), "");
}

TEST_F(DetokenizerTest, ReplacesALoneByteAsSoonAsNothingCanCompleteIt) {
  Detokenizer detokenizer(tokenizer_);
  EXPECT_EQ(detokenizer.push(0x80), "\uFFFD");
  EXPECT_EQ(detokenizer.push(0xE2), "");
  EXPECT_EQ(detokenizer.push('a'), "\uFFFDa");
  EXPECT_EQ(detokenizer.push(0xE2), "");
  EXPECT_EQ(detokenizer.push(256), "\uFFFD€");
  EXPECT_EQ(detokenizer.push(0xE2), "");
  EXPECT_EQ(detokenizer.flush(), "\uFFFD");
  EXPECT_EQ(detokenizer.flush(), "");
}

TEST_F(DetokenizerTest, ShowsControlTokensOnlyWhenAsked) {
  Detokenizer hiding(tokenizer_);
  EXPECT_EQ(hiding.push('a') + hiding.push(257) + hiding.push('b'), "ab");
  Detokenizer showing(tokenizer_, true);
  EXPECT_EQ(showing.push('a') + showing.push(257) + showing.push('b'), "a<end>b");
}

TEST_F(DetokenizerTest, RefusesAnIdOutsideTheVocabulary) {
  Detokenizer detokenizer(tokenizer_);
  test::expect_input_error([&] { detokenizer.push(258); }, "no token 258", "0 to 257");
  test::expect_input_error([&] { detokenizer.push(-1); }, "no token -1");
}

TEST(Detokenizer, DropsTheSpaceAtTheStartOfATextOnly) {
  const auto a = test::kFirstPiece;
  const Tokenizer tokenizer(test::small_pieces({{"▁a", -1}, {"▁", -2}}));
  const auto streamed = [&](const std::vector<Token>& tokens, bool show_special) {
    Detokenizer detokenizer(tokenizer, show_special);
    std::string text;
    for (const Token token : tokens) text += detokenizer.push(token);
    EXPECT_EQ(text, tokenizer.decode(tokens, show_special));
    return text;
  };
  EXPECT_EQ(streamed({a, a}, false), "a a");
  EXPECT_EQ(streamed({a + 1, a}, false), " a");
  EXPECT_EQ(streamed({1, a, a}, false), "a a");  // after a hidden token
  EXPECT_EQ(streamed({1, a, a}, true), "<s> a a");
  EXPECT_EQ(streamed({test::byte_id(' '), a}, false), " a");
  EXPECT_EQ(streamed({test::byte_id(0xC3), test::byte_id(0xA9), a}, false), "é a");
}

TEST_F(DetokenizerTest, GivesTheTextOfDecodeInPortions) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Token> tokens(random() % 40);
    for (Token& token : tokens) {
      // Mostly bytes of longer characters, so that whole and broken ones come up.
      token = static_cast<Token>(random() % 4 == 0 ? random() % 258 : 0x80 + random() % 0x80);
    }
    Detokenizer detokenizer(tokenizer_, true);
    std::string streamed;
    for (const Token token : tokens) {
      const std::string portion = detokenizer.push(token);
      ASSERT_FALSE(find_invalid_utf8(portion));
      streamed += portion;
    }
    ASSERT_EQ(streamed + detokenizer.flush(), tokenizer_.decode(tokens, true));
  }
}

}  // namespace
}  // namespace outrider::text
