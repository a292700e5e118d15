#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/tokenizer/byte_token.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::test {

/// The first id after the unknown token 0, the control tokens "<s>" 1 and "</s>" 2, and the bytes.
constexpr Token kFirstPiece = 3 + 256;

/// A tokenizer of the llama kind, with these pieces and scores from kFirstPiece on.
/// @param prefix  whether every text gets a space in front
inline text::TokenizerSpec small_pieces(const std::vector<std::pair<std::string, float>>& pieces,
                                        bool prefix = true) {
  using Kind = text::NormalStep::Kind;
  text::TokenizerSpec spec;
  spec.model = "llama";
  if (prefix) spec.normaliser.push_back({Kind::kPrepend, "", " "});
  spec.dropped_spaces = prefix ? 1 : 0;
  spec.normaliser.push_back({Kind::kReplace, " ", text::kSpaceMark});
  const auto add = [&](const std::string& token, float score, text::TokenKind kind) {
    spec.tokens.push_back(token);
    spec.scores.push_back(score);
    spec.kinds.push_back(kind);
  };
  add("<unk>", 0, text::TokenKind::kUnknown);
  add("<s>", 0, text::TokenKind::kControl);
  add("</s>", 0, text::TokenKind::kControl);
  for (int byte = 0; byte < 256; ++byte)
    add(text::byte_token(static_cast<std::uint8_t>(byte)), 0, text::TokenKind::kByte);
  for (const auto& [piece, score] : pieces) add(piece, score, text::TokenKind::kNormal);
  return spec;
}

/// The token of a byte.
inline Token byte_id(unsigned char byte) { return 3 + byte; }

}  // namespace outrider::test
