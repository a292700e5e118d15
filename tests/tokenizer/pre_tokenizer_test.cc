#include "runtime/tokenizer/pre_tokenizer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_input_error.h"

namespace outrider::text {
namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, const char* name = "smollm") {
  std::vector<std::string_view> words;
  make_pre_tokenizer(named_pre_tokenizer(name).pattern)->split(text, words);
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

TEST(O200kPreTokenizer, SplitsAsItsPattern) {
  const auto o200k = [](std::string_view text) { return split(text, "gpt-4o"); };
  EXPECT_EQ(o200k("I'm, WE'LL it\u2019s"), (Words{"I'm", ",", " WE'LL", " it", "\u2019s"}));
  EXPECT_EQ(o200k("parseHTTPRequest fooBAR"), (Words{"parse", "HTTPRequest", " foo", "BAR"}));
  EXPECT_EQ(o200k("1234567 89"), (Words{"123", "456", "7", " ", "89"}));
  EXPECT_EQ(o200k("a\n\n  b\t\tc"), (Words{"a", "\n\n", " ", " b", "\t", "\tc"}));
  EXPECT_EQ(o200k("x !?//\r\n/ y"), (Words{"x", " !?//\r\n/", " y"}));
  EXPECT_EQ(o200k(""), Words{});
}

TEST(O200kPreTokenizer, LetsLettersWithoutCaseAndMarksEndAWord) {
  const auto o200k = [](std::string_view text) { return split(text, "gpt-4o"); };
  // The first part gives back what the second needs: up to the last letter that may be in both.
  EXPECT_EQ(o200k("日本ABC本DEf本DE"), (Words{"日本ABC本DEf本", "DE"}));
  EXPECT_EQ(o200k("AB日CD"), (Words{"AB日", "CD"}));
  EXPECT_EQ(o200k("e\u0301E\u0301t"), (Words{"e\u0301", "E\u0301t"}));
  // A mark leads a word, or is one where that has no small letter.
  EXPECT_EQ(o200k("!\u0301 \u0301a"), (Words{"!\u0301", " \u0301a"}));
  EXPECT_EQ(o200k("\u0301ABC"), (Words{"\u0301", "ABC"}));
  EXPECT_EQ(o200k("-ABC"), (Words{"-ABC"}));
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

TEST(NamedPreTokenizer, KnowsTheOtherNamesOfAPattern) {
  const auto expect_same = [](const char* name, const std::vector<const char*>& others) {
    for (const char* other : others)
      EXPECT_EQ(split("It's  42123 y\n\n(z)", other), split("It's  42123 y\n\n(z)", name)) << other;
  };
  expect_same("smollm", {"starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"});
  expect_same("gpt-2", {"mpt", "olmo", "phi-2", "jais", "trillion"});
  expect_same("llama-bpe",
              {"llama3", "llama-v3", "falcon3", "pixtral", "dbrx", "smaug-bpe", "glm4"});
  expect_same("qwen2", {"deepseek-r1-qwen", "megrez", "stablelm2", "hunyuan", "kormo"});
  expect_same("gpt-4o", {"llama4", "kanana2", "talkie"});
  expect_same("bloom", {"poro-chat", "gpt3-finnish"});
}

TEST(NamedPreTokenizer, TellsWhatElseTheNameStandsFor) {
  for (const char* name : {"llama-bpe", "llama3", "llama-v3", "falcon3"})
    EXPECT_TRUE(named_pre_tokenizer(name).is_llama3) << name;
  EXPECT_FALSE(named_pre_tokenizer("dbrx").is_llama3);
  EXPECT_TRUE(named_pre_tokenizer("qwen2").makes_form_c);
  EXPECT_FALSE(named_pre_tokenizer("gpt-2").makes_form_c);
}

TEST(NamedPreTokenizer, RefusesAnUnknownNameAndSaysWhichItKnows) {
  test::expect_input_error([] { named_pre_tokenizer("falcon"); }, "'falcon'", "smollm", "llama3");
}

}  // namespace
}  // namespace outrider::text
