#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// Token counts along a path, for the penalties: whether each token is in the prompt, and how often in the
/// text so far.
class TokenCounts {
 public:
  explicit TokenCounts(std::span<const Token> prompt);

  /// Makes room for so many different tokens: counting them allocates nothing.
  void reserve(std::size_t tokens) { counts_.reserve(tokens); }

  /// Counts one more token of the text.
  void add(Token token);
  /// Takes the last one of this token back.
  void remove(Token token);

  struct Count {
    Token token;
    bool in_prompt = false;
    int in_text = 0;
  };
  /// Of every token of the prompt or the text, in order of id.
  std::span<const Count> counts() const { return counts_; }

 private:
  std::vector<Count>::iterator find(Token token);

  std::vector<Count> counts_;
};

}  // namespace outrider::sampling
