#pragma once

#include <span>

#include "runtime/base/token.h"
#include "runtime/draft/token_tree.h"
#include "runtime/engine/pass.h"

namespace outrider::draft {

/// In place of a position: the token was not copied from anywhere.
inline constexpr int kNotCopied = -1;

/// Proposes what the target may say next. It never decides what is said: the target's own choices
/// do, so a drafter can only change the speed.
class Drafter {
 public:
  virtual ~Drafter() = default;

  /// Forgets everything; the next call belongs to another text.
  virtual void reset() {}

  /// Begins a text.
  /// @param kept  how many of its first tokens the target still has the keys and values of
  /// @return how many of these need not be forwarded again: those whose rows the drafter observed
  ///         before, or all if it observes none. The rows of the others will be shown to `observe`.
  virtual int start(std::span<const Token> /*text*/, int kept) {
    reset();
    return kept;
  }

  /// What `observe` wants: layers of every row that is kept, heads of the last row of a prompt and of
  /// every pass after it. Asked once a text.
  virtual engine::Taps taps() const { return {}; }

  /// Told of the rows of a pass that were kept, which follow each other and all that was kept before;
  /// only if `taps` asks for something.
  virtual void observe(const engine::Pass& /*pass*/, std::span<const int> /*rows*/) {}

  /// @param committed  the prompt and every token decided so far; the last one becomes the root
  /// @param budget     nodes at most, without the root; at least 1
  /// @return a tree whose root is `committed.back()`; just the root when there is nothing to say
  virtual TokenTree draft(std::span<const Token> committed, int budget) = 0;

  /// Where in the text the last draft, or the branch of it that begins with `first`, stands already:
  /// the position that its first token was copied from, the others from those behind it; kNotCopied
  /// if it is not one stretch of the text.
  virtual int copied_from(Token /*first*/) const { return kNotCopied; }

  /// Told after each verification how many nodes of the last draft were kept.
  virtual void verified(int /*accepted*/) {}
};

}  // namespace outrider::draft
