#pragma once

#include <span>

#include "runtime/base/token.h"

namespace outrider::decode {

/// The token with the largest logit; the lowest id among equals. Every greedy choice is this one.
/// @throws std::logic_error if there is none, every number being NaN
Token arg_max(std::span<const float> logits);

}  // namespace outrider::decode
