#pragma once

#include <span>

#include "runtime/base/token.h"
#include "runtime/sampling/candidates.h"
#include "runtime/sampling/gumbel_noise.h"

namespace outrider::sampling {

/// The token with the largest score + noise, the lowest id among equals.
/// @param candidates  not empty
Token race(std::span<const Candidate> candidates, const GumbelNoise& noise);

/// The same among the whole vocabulary.
/// @param favourite  the token with the largest score
Token race(std::span<const double> scores, Token favourite, const GumbelNoise& noise);

}  // namespace outrider::sampling
