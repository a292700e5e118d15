#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// How ordinary text, without special tokens, becomes tokens and tokens become bytes. One file for
/// each kind of model; `Tokenizer` puts normal forms and special tokens around it.
class TokenizerModel {
 public:
  virtual ~TokenizerModel() = default;

  /// Appends the tokens of `text`, valid UTF-8 of at most 2^30 bytes, not empty.
  /// @param first  whether it stands at the very start of what is encoded
  virtual void encode(std::string_view text, bool first, std::vector<Token>& tokens) const = 0;

  /// The bytes that a stored token of this model stands for.
  virtual std::string bytes(std::string_view stored, TokenKind kind) const = 0;
};

/// Builds the model that `spec.model` names.
/// @throws InputError naming the model, or the part of the description that does not fit it
std::unique_ptr<TokenizerModel> make_tokenizer_model(const TokenizerSpec& spec);

}  // namespace outrider::text
