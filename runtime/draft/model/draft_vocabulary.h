#pragma once

#include <cstddef>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::draft {

/// The tokens that a draft model can draft: a row of its head for each.
class DraftVocabulary {
 public:
  /// @param head_tokens   as Model::head_tokens; empty: row v is token v
  /// @param vocab         of the draft model
  /// @param target_vocab  rows of padding that the target does not have draft nothing
  DraftVocabulary(std::vector<Token> head_tokens, int vocab, int target_vocab);

  std::size_t size() const { return size_; }
  /// Whether a token can be drafted.
  bool has(Token token) const;
  /// The row of a token that can be drafted.
  std::size_t row_of(Token token) const;
  Token token_of(std::size_t row) const {
    return head_tokens_.empty() ? static_cast<Token>(row) : head_tokens_[row];
  }
  /// As it was given: the token of each row, or empty.
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  /// Chooses among them: from the first `size` logits of a row.
  sampling::TokenChoice choice() const;

 private:
  std::vector<Token> head_tokens_;
  std::size_t size_;
  int target_vocab_;
};

}  // namespace outrider::draft
