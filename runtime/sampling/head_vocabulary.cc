#include "runtime/sampling/head_vocabulary.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace outrider::sampling {

HeadVocabulary::HeadVocabulary(std::vector<Token> head_tokens, int vocab, int target_vocab)
    : head_tokens_(std::move(head_tokens)),
      size_(head_tokens_.empty() ? static_cast<std::size_t>(std::min(vocab, target_vocab))
                                 : head_tokens_.size()),
      target_vocab_(target_vocab) {}

bool HeadVocabulary::has(Token token) const {
  if (head_tokens_.empty()) return token >= 0 && static_cast<std::size_t>(token) < size_;
  return std::binary_search(head_tokens_.begin(), head_tokens_.end(), token);
}

std::size_t HeadVocabulary::row_of(Token token) const {
  if (head_tokens_.empty()) return static_cast<std::size_t>(token);
  return static_cast<std::size_t>(
      std::lower_bound(head_tokens_.begin(), head_tokens_.end(), token) - head_tokens_.begin());
}

TokenChoice HeadVocabulary::choice() const {
  if (!head_tokens_.empty()) return TokenChoice(head_tokens_);
  if (size_ == static_cast<std::size_t>(target_vocab_)) return TokenChoice(target_vocab_);
  // Penalties and biases may be of tokens beyond.
  std::vector<Token> tokens(size_);
  std::iota(tokens.begin(), tokens.end(), 0);
  return TokenChoice(std::move(tokens));
}

}  // namespace outrider::sampling
