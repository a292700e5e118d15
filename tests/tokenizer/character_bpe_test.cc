#include "runtime/tokenizer/character_bpe.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <random>

#include "runtime/tokenizer/tokenizer.h"
#include "tests/support/expect_input_error.h"
#include "tests/tokenizer/small_pieces.h"

namespace outrider::text {
namespace {

using Tokens = std::vector<Token>;
using test::byte_id;
using test::small_pieces;

constexpr Token kA = test::kFirstPiece;  // "a", then the pieces of each test

/// Ranked merges over "a", "b" and "▁", with an unknown token and no bytes.
TokenizerSpec ranked_spec() {
  TokenizerSpec spec;
  spec.model = "bpe";
  spec.tokens = {"a", "b", "▁", "<unk>", "ab", "▁a", "▁ab"};
  spec.kinds.assign(spec.tokens.size(), TokenKind::kNormal);
  spec.kinds[3] = TokenKind::kControl;
  spec.merges = {{"a", "b"}, {"▁", "ab"}, {"▁", "a"}};
  spec.unknown = 3;
  return spec;
}

Tokens encoded(const TokenizerSpec& spec, std::string_view text) {
  return Tokenizer(spec).encode(text, true);
}

TEST(CharacterBpe, MergesThePieceOfTheHighestScoreFirst) {
  const std::vector<std::pair<std::string, float>> letters = {{"a", -9}, {"b", -9}, {"c", -9}};
  auto pieces = letters;
  pieces.insert(pieces.end(), {{"ab", -2}, {"bc", -1}});
  EXPECT_EQ(encoded(small_pieces(pieces, false), "abc"), (Tokens{kA, kA + 4}));
  pieces[3].second = -0.5F;
  EXPECT_EQ(encoded(small_pieces(pieces, false), "abc"), (Tokens{kA + 3, kA + 2}));
}

TEST(CharacterBpe, MergesNoTextIntoASpecialTokenOrAByte) {
  const Tokenizer tokenizer(small_pieces({{"<", -9},
                                          {"s", -9},
                                          {">", -9},
                                          {"<s", -1},
                                          {"0", -9},
                                          {"x", -9},
                                          {"A", -9},
                                          {"<0", -1},
                                          {"<0x", -1},
                                          {"<0x0", -1},
                                          {"<0x0A", -1}},
                                         false));
  EXPECT_EQ(tokenizer.encode("<s>", false), (Tokens{kA + 3, kA + 2}));
  EXPECT_EQ(tokenizer.encode("<s>", true), (Tokens{1}));
  EXPECT_EQ(tokenizer.encode("<0x0A>", false), (Tokens{kA + 10, kA + 2}));
}

TEST(CharacterBpe, MergesTheLeftmostOfEqualScores) {
  const auto spec = small_pieces({{"a", -9}, {"aa", -1}, {"aaa", -1}}, false);
  EXPECT_EQ(encoded(spec, "aaa"), (Tokens{kA + 2}));
  EXPECT_EQ(encoded(spec, "aaaa"), (Tokens{kA + 2, kA}));
}

TEST(CharacterBpe, MakesAPieceFromAnySplit) {
  // "abc" from "a" + "bc" or from "ab" + "c", whichever merges first.
  EXPECT_EQ(encoded(small_pieces({{"a", -9}, {"b", -9}, {"c", -9}, {"bc", -3}, {"abc", -4}}, false),
                    "abc"),
            (Tokens{kA + 4}));
  EXPECT_EQ(encoded(small_pieces({{"a", -9}, {"b", -9}, {"c", -9}, {"ab", -3}, {"abc", -4}}, false),
                    "abc"),
            (Tokens{kA + 4}));
}

TEST(CharacterBpe, FallsBackToBytesForACharacterThatIsNoToken) {
  const auto spec = small_pieces({{"a", -9}}, false);
  EXPECT_EQ(encoded(spec, "aéa\n"), (Tokens{kA, byte_id(0xC3), byte_id(0xA9), kA, byte_id('\n')}));
  EXPECT_EQ(Tokenizer(spec).decode(encoded(spec, "aéa\n")), "aéa\n");
}

TEST(CharacterBpe, MergesCharactersThatAreNoTokensIntoOneThatIs) {
  const auto spec = small_pieces({{"a", -9}, {"xy", -1}}, false);
  EXPECT_EQ(encoded(spec, "axya"), (Tokens{kA, kA + 1, kA}));
  EXPECT_EQ(encoded(spec, "yx"), (Tokens{byte_id('y'), byte_id('x')}));
}

TEST(CharacterBpe, AddsASpaceBeforeATextAndRemovesItInDecoding) {
  const auto spec = small_pieces({{"a", -9}, {"▁", -9}, {"▁a", -1}});
  EXPECT_EQ(encoded(spec, "a"), (Tokens{kA + 2}));
  EXPECT_EQ(encoded(spec, " a"), (Tokens{kA + 1, kA + 2}));
  EXPECT_EQ(encoded(spec, ""), Tokens{});
  const Tokenizer tokenizer(spec);
  for (const char* text : {"a", " a", "  a a  ", " ", "a\n"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, true)), text);
  }
  EXPECT_EQ(encoded(small_pieces({{"a", -9}, {"▁", -9}, {"▁a", -1}}, false), "a"), (Tokens{kA}));
}

TEST(CharacterBpe, AddsASpaceAfterEverySpecialTokenToo) {
  const auto spec = small_pieces({{"a", -9}, {"▁", -9}, {"▁a", -1}});
  EXPECT_EQ(encoded(spec, "a<s>a"), (Tokens{kA + 2, 1, kA + 2}));
  EXPECT_EQ(encoded(spec, "<s>"), (Tokens{1}));
}

TEST(CharacterBpe, TakesLinearTimeForALongText) {
  std::vector<std::pair<std::string, float>> pieces;
  std::string piece = "a";
  for (int i = 0; i < 8; ++i, piece += piece) pieces.emplace_back(piece, static_cast<float>(i));
  const Tokenizer tokenizer(small_pieces(pieces, false));
  const std::string text(1 << 20, 'a');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(tokenizer.encode(text, true).size(), text.size() / 128);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(CharacterBpe, MergesByRank) {
  EXPECT_EQ(encoded(ranked_spec(), "ab▁ab▁a"), (Tokens{4, 6, 5}));
  EXPECT_EQ(encoded(ranked_spec(), "ba"), (Tokens{1, 0}));
}

TEST(CharacterBpe, KeepsOrFusesUnknownCharacters) {
  TokenizerSpec spec = ranked_spec();
  EXPECT_EQ(encoded(spec, "axyb"), (Tokens{0, 3, 3, 1}));
  spec.fuse_unknown = true;
  EXPECT_EQ(encoded(spec, "axybz"), (Tokens{0, 3, 1, 3}));
  spec.unknown = -1;
  EXPECT_EQ(encoded(spec, "axyb"), (Tokens{4}));  // dropped
}

TEST(CharacterBpe, FallsBackToBytesOnlyWhereAllOfACharacterHaveTokens) {
  TokenizerSpec spec = ranked_spec();
  spec.byte_fallback = true;
  spec.tokens.insert(spec.tokens.end(), {"<0xC3>", "<0xA9>"});
  spec.kinds.insert(spec.kinds.end(), 2, TokenKind::kByte);
  EXPECT_EQ(encoded(spec, "éèa"), (Tokens{7, 8, 3, 0}));
  spec.byte_fallback = false;
  EXPECT_EQ(encoded(spec, "é"), (Tokens{3}));
}

TEST(CharacterBpe, MarksSpacesByMetaspace) {
  using Prefix = Metaspace::Prefix;
  TokenizerSpec spec = ranked_spec();
  spec.merges = {{"▁", "a"}, {"a", "b"}, {"▁a", "b"}, {"b", "▁"}};
  spec.tokens.push_back("b▁");
  spec.tokens.push_back("<t>");
  spec.kinds.insert(spec.kinds.end(), {TokenKind::kNormal, TokenKind::kUserDefined});
  spec.metaspace = Metaspace{Prefix::kAlways, true};
  EXPECT_EQ(encoded(spec, "ab b a"), (Tokens{6, 2, 1, 5}));
  EXPECT_EQ(encoded(spec, " a<t>a"), (Tokens{5, 8, 5}));
  spec.metaspace->prefix = Prefix::kFirst;
  EXPECT_EQ(encoded(spec, "a<t>a"), (Tokens{5, 8, 0}));
  EXPECT_EQ(encoded(spec, "<t>a"), (Tokens{8, 0}));
  spec.metaspace->prefix = Prefix::kNever;
  EXPECT_EQ(encoded(spec, "a"), (Tokens{0}));
  spec.metaspace->split = false;
  EXPECT_EQ(encoded(spec, "b b"), (Tokens{7, 1}));
}

TEST(CharacterBpe, RefusesInvalidScores) {
  const auto refused = [](const auto& change, const std::string& part) {
    TokenizerSpec spec = small_pieces({{"a", -9}, {"b", -9}});
    change(spec);
    test::expect_input_error([&] { Tokenizer{spec}; }, part);
  };
  refused([](auto& s) { s.scores[260] = std::numeric_limits<float>::quiet_NaN(); },
          "the score of token 260 ('b') is nan");
  refused([](auto& s) { s.scores[260] = -std::numeric_limits<float>::infinity(); }, "is -inf");
  refused([](auto& s) { s.scores.pop_back(); }, "261 tokens, but 260 scores");
  refused([](auto& s) { s.tokens[3 + 0x41] = "A"; }, "is of kind 'byte'");
  refused(
      [](auto& s) {
        s.tokens[3 + 0x41] = "A";
        s.kinds[3 + 0x41] = TokenKind::kNormal;
      },
      "no token for byte 65; expected '<0x41>'");
  refused([](auto& s) { s.tokens[260] = "a"; }, "tokens 259 and 260 are both 'a'");
  refused([](auto& s) { s.tokens[260] = std::string(2000, 'a'); }, "token 260 has 2000 bytes");
  refused([](auto& s) { s.unknown = 261; }, "unknown token is 261");
  refused([](auto& s) { s.added_rules[-1].lstrip = true; }, "added token is -1");
}

}  // namespace
}  // namespace outrider::text
