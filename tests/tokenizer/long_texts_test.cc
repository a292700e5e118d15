// Texts that take the square of their length where something is searched or merged step by step.

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "runtime/tokenizer/tokenizer.h"
#include "tests/tokenizer/small_pieces.h"
#include "tests/tokenizer/small_spec.h"

namespace outrider::text {
namespace {

constexpr std::size_t kBytes = 100'000;
// A twentieth is usual, with sanitizers a fifth; the square of the length takes minutes.
constexpr double kMostSeconds = 1;

std::string repeated(const std::string& part) {
  std::string text;
  while (text.size() < kBytes) text += part;
  return text;
}

void expect_in_time(const TokenizerSpec& spec, const std::string& name) {
  const Tokenizer tokenizer(spec);
  for (const char* part : {"a",
                           "ab",
                           "abcdefghijklmnopqrstuvwxyz",
                           " ",
                           "\n",
                           " \n",
                           "\t \r\n",
                           "1",
                           "a1",
                           "'s",
                           "'",
                           "!",
                           "<|im_",
                           "<end>",
                           "<",
                           "\u00e9",
                           "e\u0301",
                           "\u0301",
                           "\u0316\u0301",
                           "\u6771",
                           "A\u6771",
                           "\u0301A",
                           "\U0001F600\u200d",
                           "\u2581",
                           " a",
                           "a  "}) {
    const std::string text = repeated(part);
    const std::clock_t begun = std::clock();  // the processor's, whatever else runs
    const std::vector<Token> tokens = tokenizer.encode(text, true);
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    EXPECT_FALSE(tokens.empty()) << name << ": " << part;
    EXPECT_LT(seconds, kMostSeconds) << name << ": " << part;
  }
}

TEST(LongTexts, AreTokenizedInTimeByByteLevelBpe) {
  for (const char* pre : {"gpt-2", "smollm", "llama-bpe", "qwen2", "gpt-4o", "bloom"}) {
    TokenizerSpec spec =
        test::small_spec({{"a", "b"},
                          {"a", "a"},
                          {"aa", "aa"},
                          {"aaaa", "aaaa"},
                          {"Ġ", "Ġ"},
                          {"ĠĠ", "ĠĠ"},
                          {"Ċ", "Ċ"}},
                         {{"<end>", TokenKind::kControl}, {"<|im_end|>", TokenKind::kControl}});
    spec.pre = pre;
    spec.normaliser.push_back({NormalStep::Kind::kFormC, "", ""});
    // Rules that look at the text around a token.
    spec.added_rules[263] = {.lstrip = true, .rstrip = true};
    spec.added_rules[264] = {.single_word = true, .normalized = true};
    expect_in_time(spec, pre);
  }
}

TEST(LongTexts, AreTokenizedInTimeByPieces) {
  TokenizerSpec spec = test::small_pieces({{"\u2581", -9},
                                           {"a", -8},
                                           {"aa", -7},
                                           {"aaaa", -6},
                                           {"\u2581\u2581", -5},
                                           {"\u2581\u2581\u2581\u2581", -4},
                                           {"\u2581a", -3}});
  expect_in_time(spec, "pieces");
  spec.normaliser.clear();
  for (const bool split : {false, true}) {
    spec.metaspace = Metaspace{Metaspace::Prefix::kAlways, split};
    expect_in_time(spec, "pieces of words");
  }
}

}  // namespace
}  // namespace outrider::text
