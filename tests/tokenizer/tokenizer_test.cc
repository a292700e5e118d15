#include "runtime/tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"
#include "tests/tokenizer/small_spec.h"

namespace outrider::text {
namespace {

using Tokens = std::vector<Token>;

/// "ab" is 256, "Ġab" 257, the control token "<end>" 258, the user-defined "<tool>" 259.
TokenizerSpec sample_spec() {
  return test::small_spec({{"a", "b"}, {"Ġ", "ab"}},
                          {{"<end>", TokenKind::kControl}, {"<tool>", TokenKind::kUserDefined}});
}

TEST(Tokenizer, MergesWithinWordsOnly) {
  const Tokenizer tokenizer(sample_spec());
  EXPECT_EQ(tokenizer.encode("ab ab", true), (Tokens{256, 257}));
  EXPECT_EQ(tokenizer.encode("a\nb", true), (Tokens{'a', '\n', 'b'}));
  EXPECT_EQ(tokenizer.encode("", true), Tokens{});
}

TEST(Tokenizer, ParsesControlTokensOnlyWhenAskedAndUserDefinedOnesAlways) {
  const Tokenizer tokenizer(sample_spec());
  EXPECT_EQ(tokenizer.encode("ab<end>ab", true), (Tokens{256, 258, 256}));
  EXPECT_EQ(tokenizer.encode("<end>", false), (Tokens{'<', 'e', 'n', 'd', '>'}));
  EXPECT_EQ(tokenizer.encode("<tool>", false), (Tokens{259}));
}

TEST(Tokenizer, EncodesTheTextsAroundASpecialTokenSeparately) {
  const Tokenizer tokenizer(sample_spec());
  EXPECT_EQ(tokenizer.encode("a<end>b", true), (Tokens{'a', 258, 'b'}));
  EXPECT_EQ(tokenizer.encode("ab <end> ab", true), (Tokens{256, ' ', 258, 257}));
}

TEST(Tokenizer, DropsBytesOutsideTheVocabulary) {
  TokenizerSpec spec = test::small_spec({{"a", "b"}});
  spec.tokens['x'] = "something else";
  const Tokenizer tokenizer(spec);
  EXPECT_EQ(tokenizer.encode("axb", true), (Tokens{256}));  // the remaining bytes are merged
}

TEST(Tokenizer, HidesControlTokensButNotUserDefinedOnes) {
  const Tokenizer tokenizer(sample_spec());
  const Tokens tokens = {256, 258, 259};
  EXPECT_EQ(tokenizer.decode(tokens), "ab<tool>");
  EXPECT_EQ(tokenizer.decode(tokens, true), "ab<end><tool>");
  EXPECT_EQ(tokenizer.piece(257), " ab");
}

TEST(Tokenizer, TakesAWrittenOutTokenLiterallyAlsoInTheByteAlphabet) {
  const Tokenizer tokenizer(test::small_spec({}, {{"<Ġ>", TokenKind::kUserDefined}}));
  EXPECT_EQ(tokenizer.encode("<Ġ>", true), (Tokens{256}));
  EXPECT_EQ(tokenizer.piece(256), "<Ġ>");  // not "< >"
}

TEST(Tokenizer, TakesATokenOutsideTheByteAlphabetForItsOwnText) {
  const Tokenizer tokenizer(test::small_spec({}, {{"a b", TokenKind::kNormal}}));
  EXPECT_EQ(tokenizer.piece(256), "a b");
}

TEST(Tokenizer, KnowsItsStartAndItsSpecialTokens) {
  TokenizerSpec spec = sample_spec();
  EXPECT_EQ(Tokenizer(spec).start(), Tokens{});
  spec.bos = 258;
  spec.add_bos = true;
  const Tokenizer tokenizer(spec);
  EXPECT_EQ(tokenizer.start(), Tokens{258});
  EXPECT_EQ(tokenizer.special("<end>"), 258);
  EXPECT_EQ(tokenizer.special("<end> "), -1);
  EXPECT_EQ(tokenizer.special("ab"), -1);
  EXPECT_EQ(tokenizer.vocab(), 260);
}

TEST(Tokenizer, ParsesControlTokensInTheMarkupOfAPromptOnly) {
  const Tokenizer tokenizer(sample_spec());
  PromptText text;
  text.mark("<end>a");
  text.add_literal("b<end>");
  text.mark("<en");
  text.add_literal("d>");
  text.mark("<end>");
  EXPECT_EQ(tokenizer.encode(text),
            (Tokens{258, 256, '<', 'e', 'n', 'd', '>', '<', 'e', 'n', 'd', '>', 258}));
}

TEST(Tokenizer, BeginsATextWithItsStartOnce) {
  TokenizerSpec spec = sample_spec();
  spec.bos = 258;
  spec.add_bos = true;
  const Tokenizer tokenizer(spec);
  const auto opening = [&](const std::string& marks, const std::string& words) {
    PromptText text;
    text.mark(marks);
    text.add_literal(words);
    return tokenizer.encode_opening(text);
  };
  EXPECT_EQ(opening("", "ab"), (Tokens{258, 256}));
  EXPECT_EQ(opening("<end>", "ab"), (Tokens{258, 256}));
  EXPECT_EQ(opening("", ""), Tokens{258});
  EXPECT_EQ(opening("", "<end>"), (Tokens{258, '<', 'e', 'n', 'd', '>'}));
}

TEST(Tokenizer, NamesTheFirstByteThatIsNotUtf8) {
  const Tokenizer tokenizer(sample_spec());
  test::expect_input_error([&] { tokenizer.encode("ab\xFFz", true); }, "byte 2", "0xFF");
}

template <typename Change>
void expect_refused(Change change, const std::string& part) {
  TokenizerSpec spec = sample_spec();
  change(spec);
  test::expect_input_error([&] { Tokenizer{spec}; }, part);
}

TEST(Tokenizer, RefusesAnInvalidSpecification) {
  expect_refused([](auto& s) { s.model = "unigram"; }, "'unigram'");
  expect_refused([](auto& s) { s.pre = "falcon"; }, "'falcon'");
  expect_refused([](auto& s) { s.tokens.clear(), s.kinds.clear(); }, "0 tokens");
  expect_refused([](auto& s) { s.kinds.pop_back(); }, "259 token kinds");
  expect_refused([](auto& s) { s.add_bos = true; }, "beginning-of-text token is -1");
  expect_refused([](auto& s) { s.end_tokens = {260}; }, "end token is 260");
  expect_refused([](auto& s) { s.kinds[5] = TokenKind::kByte; }, "kind 'byte'");
  expect_refused([](auto& s) { s.tokens[7] = s.tokens[9]; }, "tokens 7 and 9");
  expect_refused([](auto& s) { s.merges.push_back({"a", "nothing"}); }, "merge 2");
  expect_refused([](auto& s) { s.merges.push_back({"b", "a"}); }, "'ba' is not in the vocabulary");
  expect_refused([](auto& s) { s.merges.push_back({"a", "b"}); }, "is duplicated");
}

}  // namespace
}  // namespace outrider::text
