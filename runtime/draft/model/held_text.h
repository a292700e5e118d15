#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::draft {

/// The tokens that a drafter has read into a KV cache of its own: the cache's rows are of these, or of the
/// first of them. What the next text shares with them is not forwarded again. Allocates nothing up to the
/// length that was reserved.
class HeldText {
 public:
  int length() const { return static_cast<int>(tokens_.size()); }
  std::span<const Token> tokens() const { return tokens_; }
  void reserve(int tokens) { tokens_.reserve(static_cast<std::size_t>(tokens)); }

  /// Drops what is not a prefix of the text. @return how many tokens stay
  int keep_prefix(std::span<const Token> text) {
    tokens_.resize(common_prefix(tokens_, text));
    return length();
  }
  /// Drops all after the first `tokens`.
  void keep_first(int tokens) { tokens_.resize(static_cast<std::size_t>(tokens)); }
  /// Once a text was read.
  void hold(std::span<const Token> text) { tokens_.assign(text.begin(), text.end()); }
  /// Once a token more was read.
  void append(Token token) { tokens_.push_back(token); }

 private:
  std::vector<Token> tokens_;
};

}  // namespace outrider::draft
