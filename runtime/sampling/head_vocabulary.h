#pragma once

#include <cstddef>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::sampling {

/// The tokens that a model can give: a row of its head for each. Of a model that drafts they can be fewer than the target's.
class HeadVocabulary {
 public:
  /// @param head_tokens   as Model::head_tokens; empty: row v is token v
  /// @param vocab         of the model
  /// @param target_vocab  rows of padding that the target does not have give nothing
  HeadVocabulary(std::vector<Token> head_tokens, int vocab, int target_vocab);
  /// Every row is the target's token of its number.
  explicit HeadVocabulary(int vocab) : HeadVocabulary({}, vocab, vocab) {}

  std::size_t size() const { return size_; }
  /// Whether it has a token.
  bool has(Token token) const;
  /// The row of a token that it has.
  std::size_t row_of(Token token) const;
  Token token_of(std::size_t row) const {
    return head_tokens_.empty() ? static_cast<Token>(row) : head_tokens_[row];
  }
  /// As it was given: the token of each row, or empty.
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  /// Chooses among them: from the first `size` logits of a row.
  TokenChoice choice() const;

 private:
  std::vector<Token> head_tokens_;
  std::size_t size_;
  int target_vocab_;
};

}  // namespace outrider::sampling
