#include "runtime/tokenizer/end_tokens.h"

#include <gtest/gtest.h>

#include "tests/tokenizer/small_spec.h"

namespace outrider::text {
namespace {

using Tokens = std::vector<Token>;

/// Tokens from 256 on.
TokenizerSpec spec_of(const std::vector<std::pair<std::string, TokenKind>>& tokens) {
  return test::small_spec({}, tokens);
}

TEST(EndTokens, AreThoseThatTheFilesNameFirst) {
  TokenizerSpec spec = spec_of({{"<a>", TokenKind::kControl}, {"<b>", TokenKind::kControl}});
  EXPECT_EQ(end_tokens(spec), Tokens{});
  spec.end_tokens = {257};
  spec.eos = 256;
  EXPECT_EQ(end_tokens(spec), (Tokens{257, 256}));
}

TEST(EndTokens, AreAlsoThoseThatMeanAnEnd) {
  TokenizerSpec spec = spec_of({{"<|endoftext|>", TokenKind::kControl},
                                {"<|im_start|>", TokenKind::kControl},
                                {"<|im_end|>", TokenKind::kControl},
                                {"<end_of_turn>", TokenKind::kUserDefined},
                                {"<|eot_id|>", TokenKind::kUnused},
                                {"</s>", TokenKind::kNormal}});
  spec.end_tokens = {258};
  EXPECT_EQ(end_tokens(spec), (Tokens{258, 256, 259}));
}

TEST(EndTokens, AreNotThoseBetweenTheMessagesOfOneAnswer) {
  const std::pair<std::string, TokenKind> end = {"<|end|>", TokenKind::kControl};
  EXPECT_EQ(end_tokens(spec_of({end})), (Tokens{256}));
  EXPECT_EQ(end_tokens(spec_of({end, {"<|return|>", TokenKind::kControl}})), (Tokens{257}));
}

}  // namespace
}  // namespace outrider::text
