#include "runtime/tokenizer/special_tokens.h"

#include <gtest/gtest.h>

#include "tests/tokenizer/small_spec.h"

namespace outrider::text {
namespace {

TokenizerSpec spec_with_special() {
  return test::small_spec({}, {{"<a>", TokenKind::kControl},       // 256
                               {"<a><b>", TokenKind::kControl},    // 257
                               {"<a><", TokenKind::kUserDefined},  // 258
                               {"plain", TokenKind::kNormal},      // 259
                               {"<unk>", TokenKind::kUnknown}});   // 260
}

void expect_match(const std::optional<SpecialMatch>& match, std::size_t begin, std::size_t length,
                  Token token) {
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, begin);
  EXPECT_EQ(match->length, length);
  EXPECT_EQ(match->token, token);
}

TEST(SpecialTokens, FindsTheLeftmost) {
  const SpecialTokens special(spec_with_special(), true);
  expect_match(special.find("x <unk> <a>", 0), 2, 5, 260);
  expect_match(special.find("x <unk> <a>", 3), 8, 3, 256);
}

TEST(SpecialTokens, FindsTheLongestOfThoseThatBeginThere) {
  const SpecialTokens special(spec_with_special(), true);
  expect_match(special.find("<a><b>", 0), 0, 6, 257);
  expect_match(special.find("<a><c>", 0), 0, 4, 258);
  expect_match(special.find("<a>x", 0), 0, 3, 256);
}

TEST(SpecialTokens, FindsNoneInTextThatOnlyBeginsLikeOne) {
  const SpecialTokens special(spec_with_special(), true);
  for (const char* text : {"", "<", "<a", "<A>", "plain", "<un<unk"}) {
    EXPECT_FALSE(special.find(text, 0)) << text;
  }
}

TEST(SpecialTokens, FindsOneAfterAnIncompleteOne) {
  const SpecialTokens special(spec_with_special(), true);
  expect_match(special.find("<<a>", 0), 1, 3, 256);
}

TEST(SpecialTokens, LeavesControlTokensAloneUnlessAsked) {
  const SpecialTokens special(spec_with_special(), false);
  EXPECT_FALSE(special.find("<a> <unk>", 0));
  expect_match(special.find("<a><b>", 0), 0, 4, 258);
}

TEST(SpecialTokens, FindsNoControlTokenThatOverlapsALiteral) {
  const SpecialTokens special(spec_with_special(), true);
  const std::vector<TextSpan> literals = {{3, 6}, {9, 12}};
  expect_match(special.find("<a><a><a><a>", 0, literals), 0, 4,
               258);  // user-defined, across a boundary
  expect_match(special.find("<a>x<a>x<a>x<a>", 3, std::vector<TextSpan>{{3, 12}}), 12, 3, 256);
  EXPECT_FALSE(special.find("<a>", 0, std::vector<TextSpan>{{2, 3}}));
  EXPECT_FALSE(special.find("<a>", 0, std::vector<TextSpan>{{0, 1}}));
  EXPECT_TRUE(special.find("x<a>x", 0, std::vector<TextSpan>{{0, 1}, {4, 5}}));
}

/// The parts of a text, with these rules for "<a>" (256); tokens as [id].
std::string split_with(const AddedTokenRules& rules, std::string_view text) {
  TokenizerSpec spec = spec_with_special();
  spec.added_rules[256] = rules;
  std::string written;
  for (const TextPart& part : SpecialTokens::before(spec, true).split(text)) {
    written += part.token < 0
                   ? "(" + std::string(text.substr(part.begin, part.end - part.begin)) + ")"
                   : "[" + std::to_string(part.token) + "]";
  }
  return written;
}

TEST(SpecialTokens, SplitATextIntoTokensAndTheTextBetween) {
  EXPECT_EQ(split_with({}, "x <a> y<unk>"), "(x )[256]( y)[260]");
  EXPECT_EQ(split_with({}, ""), "");
}

TEST(SpecialTokens, TakeTheWhiteSpaceThatTheirRulesGiveThem) {
  EXPECT_EQ(split_with({.lstrip = true}, " x \n<a> y"), "( x)[256]( y)");
  EXPECT_EQ(split_with({.rstrip = true}, "x <a> \u3000y"), "(x )[256](y)");
  EXPECT_EQ(split_with({.lstrip = true, .rstrip = true}, " <a>  <a> "), "[256][256]");
  EXPECT_EQ(split_with({.lstrip = true}, "<unk> <a>"), "[260][256]");
}

TEST(SpecialTokens, OfWholeWordsAreNotFoundInsideOfWords) {
  EXPECT_EQ(split_with({.single_word = true}, "x<a> <a>y <a>."), "(x<a> <a>y )[256](.)");
}

TEST(SpecialTokens, AreFoundBeforeOrAfterNormalising) {
  TokenizerSpec spec = spec_with_special();
  spec.added_rules[256].normalized = true;
  const Normaliser normaliser({{NormalStep::Kind::kPrepend, "", "_"}});
  EXPECT_FALSE(SpecialTokens::before(spec, true).find("<a>", 0));
  EXPECT_TRUE(SpecialTokens::before(spec, true).find("<unk>", 0));
  const SpecialTokens after = SpecialTokens::after(spec, true, normaliser);
  EXPECT_FALSE(after.find("<a><unk>", 0));
  expect_match(after.find("x_<a>", 0), 1, 4, 256);
  EXPECT_FALSE(SpecialTokens::after(spec, false, normaliser).find("_<a>", 0));
}

}  // namespace
}  // namespace outrider::text
