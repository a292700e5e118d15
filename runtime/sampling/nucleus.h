#pragma once

#include <span>
#include <vector>

#include "runtime/sampling/candidates.h"

namespace outrider::sampling {

/// Top-p: the shortest run of tokens, best first, whose probability together is at least p; never
/// empty. Exact: probabilities are counted in whole units, of which the best token has 2^44, so that
/// neither the order of a sum nor omitted terms matter.
///
/// @param p  below 1
/// @return in no particular order
std::vector<Candidate> nucleus(std::span<const double> scores, double p);

/// The nucleus of the distribution over these candidates.
std::vector<Candidate> nucleus(std::span<const Candidate> candidates, double p);

}  // namespace outrider::sampling
