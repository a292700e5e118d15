#pragma once

#include <span>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"

namespace outrider::draft {

/// Proposes what the target may say next. It never decides what is said: the target's own choices
/// do, so a drafter can only change the speed.
class Drafter {
 public:
  virtual ~Drafter() = default;

  /// Forgets everything; the next call belongs to another text.
  virtual void reset() {}

  /// @param committed  the prompt and every token decided so far; the last one becomes the root
  /// @param budget     nodes at most, without the root; at least 1
  /// @return a tree whose root is `committed.back()`; just the root when there is nothing to say
  virtual TokenTree draft(std::span<const Token> committed, int budget) = 0;

  /// Told after each verification how many nodes of the last draft were kept.
  virtual void verified(int /*accepted*/) {}
};

}  // namespace outrider::draft
