#pragma once

#include <cstddef>
#include <span>

#include "calibrate/answers/answer.h"
#include "runtime/decode/verify.h"

namespace outrider::calibrate {

/// The rounds of decoding a known text: with a drafter, or with what was recorded of one. Drafts are verified against
/// the text as decode::verify does against the target's choices, which its tokens are.
class TextRounds {
 public:
  struct Verified {
    decode::VerifiedDraft draft;
    int tokens = 0;  // that the round adds to the text

    std::span<const int> accepted() const { return draft.path.subspan(1); }  // nodes
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
  decode::Verifier verifier_;
};

}  // namespace outrider::calibrate
