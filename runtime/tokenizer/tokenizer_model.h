#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// Encodes ordinary text, without special tokens, and decodes tokens to bytes. One file per kind of
/// model; `Tokenizer` adds normalisation and special tokens.
class TokenizerModel {
 public:
  virtual ~TokenizerModel() = default;

  /// Appends the tokens of `text`, valid UTF-8 of at most 2^30 bytes, not empty.
  /// @param first  whether this is the start of the whole encoded text
  virtual void encode(std::string_view text, bool first, std::vector<Token>& tokens) const = 0;

  /// The bytes of a stored token.
  virtual std::string bytes(std::string_view stored, TokenKind kind) const = 0;
};

/// Builds the model named by `spec.model`.
/// @throws InputError naming the model, or the part of the specification that does not fit it
std::unique_ptr<TokenizerModel> make_tokenizer_model(const TokenizerSpec& spec);

}  // namespace outrider::text
