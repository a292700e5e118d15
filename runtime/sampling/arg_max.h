#pragma once

#include <span>

#include "runtime/base/token.h"

namespace outrider::sampling {

/// The token with the largest number; the lowest id among equals. Every greedy choice is this one.
/// @throws std::logic_error if a number is NaN or +infinity, or if all are -infinity
Token arg_max(std::span<const float> logits);
Token arg_max(std::span<const double> logits);

/// The largest number; -infinity of none. @throws std::logic_error if one is NaN
float largest_of(std::span<const float> logits);

}  // namespace outrider::sampling
