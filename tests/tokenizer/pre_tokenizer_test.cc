#include "runtime/tokenizer/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_input_error.h"

namespace outrider::text {
namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, const char* name = "smollm") {
  std::vector<std::string_view> words;
  make_pre_tokenizer(name)->split(text, words);
  return {words.begin(), words.end()};
}

// The expected words follow by hand from the digit rule and GPT-2's pattern (gpt2_words.h).

TEST(SmolLmPreTokenizer, GivesAWordTheSpaceBeforeIt) {
  EXPECT_EQ(split("Hello world"), (Words{"Hello", " world"}));
  EXPECT_EQ(split("a, b!?"), (Words{"a", ",", " b", "!?"}));
}

TEST(SmolLmPreTokenizer, LeavesTheLastOfSeveralSpacesForTheWord) {
  EXPECT_EQ(split("a   b"), (Words{"a", "  ", " b"}));
  EXPECT_EQ(split("a\n\nb"), (Words{"a", "\n", "\n", "b"}));
  EXPECT_EQ(split("!  \n x"), (Words{"!", "  \n", " x"}));
  EXPECT_EQ(split("a\r\n b"), (Words{"a", "\r\n", " b"}));
}

TEST(SmolLmPreTokenizer, KeepsSpacesAtTheEndTogether) {
  EXPECT_EQ(split("a   "), (Words{"a", "   "}));
  EXPECT_EQ(split(" "), (Words{" "}));
}

TEST(SmolLmPreTokenizer, GivesOnlyAPlainSpaceToAWord) {
  EXPECT_EQ(split("\u00a0a"), (Words{"\u00a0", "a"}));
  EXPECT_EQ(split("\ta"), (Words{"\t", "a"}));
  EXPECT_EQ(split(" \u3000a"), (Words{" ", "\u3000", "a"}));
}

TEST(SmolLmPreTokenizer, CutsOffEnglishContractionsInLowerCase) {
  EXPECT_EQ(split("it's we'll I'D"), (Words{"it", "'s", " we", "'ll", " I", "'", "D"}));
  EXPECT_EQ(split("'re've'm't'd"), (Words{"'re", "'ve", "'m", "'t", "'d"}));
  EXPECT_EQ(split("a 's"), (Words{"a", " '", "s"}));
  EXPECT_EQ(split("''s"), (Words{"''", "s"}));
}

TEST(SmolLmPreTokenizer, MakesEveryNumericCharacterAWord) {
  EXPECT_EQ(split("a42b"), (Words{"a", "4", "2", "b"}));
  EXPECT_EQ(split("½²٣四"), (Words{"½", "²", "٣", "四"}));  // 四 is a letter
}

TEST(SmolLmPreTokenizer, KeepsTheSpacesBeforeANumberTogether) {
  EXPECT_EQ(split("a 4"), (Words{"a", " ", "4"}));
  EXPECT_EQ(split("x  42 y"), (Words{"x", "  ", "4", "2", " y"}));
}

TEST(SmolLmPreTokenizer, TreatsACombiningMarkAsNoLetter) {
  EXPECT_EQ(split("e\u0301x"), (Words{"e", "\u0301", "x"}));
  EXPECT_EQ(split("naïve 東京"), (Words{"naïve", " 東京"}));
}

TEST(SmolLmPreTokenizer, TreatsUnassignedCodePointsAsSymbols) {
  EXPECT_EQ(split("a\U00040000\U0010FFFF!"), (Words{"a", "\U00040000\U0010FFFF!"}));
}

TEST(SmolLmPreTokenizer, SplitsAnEmptyTextIntoNoWords) { EXPECT_EQ(split(""), Words{}); }

TEST(Llama3PreTokenizer, SplitsAsItsPattern) {
  const auto llama3 = [](std::string_view text) { return split(text, "llama-bpe"); };
  EXPECT_EQ(llama3("I'm, WE'LL it\u2019s"),
            (Words{"I", "'m", ",", " WE", "'LL", " it", "\u2019s"}));
  EXPECT_EQ(llama3("1234567 89"), (Words{"123", "456", "7", " ", "89"}));
  EXPECT_EQ(llama3("a\n\n  b\t\tc"), (Words{"a", "\n\n", " ", " b", "\t", "\tc"}));
  EXPECT_EQ(llama3("x !?\r\n y"), (Words{"x", " !?\r\n", " y"}));
  EXPECT_EQ(llama3("(f) \n "), (Words{"(f", ")", " \n", " "}));
  EXPECT_EQ(llama3("'\u017f"), (Words{"'\u017f"}));
}

TEST(BloomPreTokenizer, CutsAsItsPatternSays) {
  const auto bloom = [](std::string_view text) { return split(text, "bloom"); };
  EXPECT_EQ(bloom("Hello, it's 12345!"), (Words{"Hello", ",", " it's", " 12345", "!"}));
  EXPECT_EQ(bloom("a  b\n\n c\td"), (Words{"a", " ", " b", "\n\n", " c", "\t", "d"}));
  EXPECT_EQ(bloom("f(x) | [y]; {z}"), (Words{"f", "(", "x", ") |", " [y];", " {z}"}));
  EXPECT_EQ(bloom("東京。大阪、「京都」…"), (Words{"東京", "。", "大阪", "、", "「京都」", "…"}));
  EXPECT_EQ(bloom("क।ख ب،ت۔\u3000a "), (Words{"क", "।", "ख", " ب", "،", "ت", "۔\u3000", "a", " "}));
  EXPECT_EQ(bloom(" . "), (Words{" . "}));
  EXPECT_EQ(bloom(""), Words{});
}

TEST(MakePreTokenizer, KnowsOtherNamesOfSmolLm) {
  EXPECT_EQ(split("x  42 y", "starcoder"), split("x  42 y"));
  EXPECT_EQ(split("x  42 y", "refact"), split("x  42 y"));
}

TEST(MakePreTokenizer, RefusesAnUnknownNameAndSaysWhichItKnows) {
  test::expect_input_error([] { make_pre_tokenizer("falcon"); }, "'falcon'", "smollm");
}

}  // namespace
}  // namespace outrider::text
