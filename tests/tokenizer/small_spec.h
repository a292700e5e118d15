#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/tokenizer/byte_alphabet.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::test {

/// A tokenizer of the gpt2/smollm kind: the 256 bytes are tokens 0 to 255; then the results of the
/// merges, in order; then the written-out tokens. Merges are given in GPT-2's alphabet.
inline text::TokenizerSpec small_spec(
    std::vector<std::pair<std::string, std::string>> merges = {},
    const std::vector<std::pair<std::string, text::TokenKind>>& written = {}) {
  text::TokenizerSpec spec;
  spec.model = "gpt2";
  spec.pre = "smollm";
  for (int byte = 0; byte < 256; ++byte) {
    spec.tokens.push_back(text::to_byte_alphabet(std::string(1, static_cast<char>(byte))));
  }
  for (const auto& [left, right] : merges) spec.tokens.push_back(left + right);
  spec.kinds.assign(spec.tokens.size(), text::TokenKind::kNormal);
  for (const auto& [token, kind] : written) {
    spec.tokens.push_back(token);
    spec.kinds.push_back(kind);
  }
  spec.merges = std::move(merges);
  return spec;
}

}  // namespace outrider::test
