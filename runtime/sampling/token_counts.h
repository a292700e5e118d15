#pragma once

#include <span>
#include <unordered_map>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// Token counts along a path, for the penalties: whether each token is in the prompt, and how often in the
/// text so far.
class TokenCounts {
 public:
  explicit TokenCounts(std::span<const Token> prompt);

  /// Counts one more token of the text.
  void add(Token token);
  /// Takes the last one of this token back.
  void remove(Token token);

  struct Count {
    bool in_prompt = false;
    int in_text = 0;
  };
  const std::unordered_map<Token, Count>& counts() const { return counts_; }

 private:
  std::unordered_map<Token, Count> counts_;
};

}  // namespace outrider::sampling
