#pragma once

#include <span>

#include "calibrate/replay/replay.h"

namespace outrider::calibrate {

/// What a drafter could copy at one position of an answer, whatever its draft length.
struct CopyChance {
  int available = 0;  // tokens between the source and the last token; 0: no draft
  int agreeing = 0;   // of those, how many the target goes on to say
};

/// @param t       the position of the last committed token
/// @param source  an earlier position to copy from
CopyChance copy_chance(std::span<const Token> text, int t, int source);

/// Walks through an answer as the decode loop does when its drafter copies at most `draft_length`
/// tokens. The text does not depend on the drafter, so nothing is decoded again.
/// @param chances  [answer tokens - 1], of positions from the first token of the answer on
Replay replay(std::span<const CopyChance> chances, int draft_length);

}  // namespace outrider::calibrate
