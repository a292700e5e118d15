#pragma once

#include <cstdint>
#include <optional>

#include "calibrate/answers/answer.h"

namespace outrider::calibrate {

/// The paper's r*: the position in the prompt that text[t] was copied from, if it occurs there.
/// Among its occurrences, the one preceded by the longest run of the tokens that precede t; the
/// latest on a tie. PLD+ (Somasundaram et al. 2024), section 4.2.1.
/// @param t  a position in the answer
std::optional<int> copied_from(const Answer& answer, int t);

/// The number of answer tokens copied from its prompt, except those in loops.
std::int64_t copied_tokens(const Answer& answer);

}  // namespace outrider::calibrate
