#pragma once

#include <cstddef>
#include <span>

#include "calibrate/answers/answer.h"
#include "runtime/draft/tree_walk.h"

namespace outrider::calibrate {

/// Verifies drafts against a text as decode::verify does against the target's choices, which they are.
class TextRounds {
 public:
  struct Verified {
    std::span<const int> accepted;  // nodes, from below the root down; valid until the next round
    int tokens = 0;                 // that the round adds to the text
  };
  /// @param to_come  what follows the tree's root, at least one token
  Verified verify(const draft::TokenTree& tree, std::span<const Token> to_come);

  /// The rounds that begin from `first` on and before `last`, each where the one before has ended; none goes into a loop.
  /// @param round  (position, end) -> tokens that the round at `position` adds, which end before `end`
  template <typename Round>
  static void each(const Answer& answer, std::size_t first, std::size_t last, const Round& round) {
    const std::size_t end = answer.next_loop(first);
    for (std::size_t position = first; position < last;)
      position += static_cast<std::size_t>(round(position, end));
  }

 private:
  draft::TreeWalk walk_;
};

}  // namespace outrider::calibrate
