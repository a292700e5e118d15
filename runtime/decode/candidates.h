#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/decode/sampler_options.h"

namespace outrider::decode {

/// A token that may still be chosen. `score` is (z - z of the best token) / T, at most 0.
struct Candidate {
  Token token;
  double score;
};

/// Applies temperature, top-k, top-p and min-p, in this order; each works on the distribution over
/// what the one before has left. At least one candidate is returned, in no particular order.
/// Equal scores rank by id, the lowest first.
///
/// @param logits   [vocab], penalties and bias applied
/// @param largest  the largest of them
std::vector<Candidate> filter(std::span<const float> logits, float largest,
                              const SamplerOptions& options);

}  // namespace outrider::decode
