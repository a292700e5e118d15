#pragma once

#include <cstddef>
#include <vector>

#include "calibrate/answers/answer.h"

namespace outrider::calibrate {

/// Consecutive positions of an answer: where rounds of decoding it can begin.
struct Stretch {
  const Answer* answer;
  std::size_t first;
  std::size_t end;
};

/// Divides a number of positions among answers, one stretch of each: here nearer its beginning, there nearer
/// its end, and outside loops. The first token of an answer, which the prefill gives, is not one.
/// @param positions  0: all outside loops up to the first loop
/// @param last       the last position that can be recorded
std::vector<Stretch> choose_stretches(const std::vector<const Answer*>& answers,
                                      std::size_t positions, std::size_t last);

}  // namespace outrider::calibrate
