#pragma once

#include <cstdint>
#include <optional>

#include "calibrate/answers/answer.h"

namespace outrider::calibrate {

/// The paper's r*: where in the prompt text[t] was copied from, if it occurs there. Of its occurrences
/// the one preceded by the longest run of the same tokens that precede t; the latest among equals.
/// PLD+ (Somasundaram et al. 2024), section 4.2.1.
/// @param t  a position in the answer
std::optional<int> copied_from(const Answer& answer, int t);

/// How many tokens of the answer were copied from its prompt, loops left out.
std::int64_t copied_tokens(const Answer& answer);

}  // namespace outrider::calibrate
