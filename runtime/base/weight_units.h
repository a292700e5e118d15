#pragma once

#include <cstdint>

#include "runtime/base/portable.h"

namespace outrider {

// Probability in whole units, of which the best token of a distribution has 2^44: sums of units do not depend on their
// order. Up to 2^18 tokens of the largest weight fit in a sum.

inline constexpr double kUnitsOfBest = 0x1p44;

/// @param weight  e^score, at most 1
OUTRIDER_HD constexpr std::int64_t units_of_weight(double weight) {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and far below 2^52
  return static_cast<std::int64_t>(weight * kUnitsOfBest + 0.5);
}

}  // namespace outrider
