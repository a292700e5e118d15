#pragma once

#include <span>
#include <unordered_map>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// How often each token occurs along a path: in the prompt at all, and in the text so far. What
/// the penalties need.
class TokenCounts {
 public:
  explicit TokenCounts(std::span<const Token> prompt);

  /// One more token of the text.
  void add(Token token);

  struct Count {
    bool in_prompt = false;
    int in_text = 0;
  };
  const std::unordered_map<Token, Count>& counts() const { return counts_; }

 private:
  std::unordered_map<Token, Count> counts_;
};

}  // namespace outrider::sampling
