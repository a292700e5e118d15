#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::test {

/// The sampler as documented, implemented with the C library's functions, full sorts and no shortcuts.
struct Distribution {
  std::vector<double> scores;         // [vocab] (z - z of the best) / T
  std::vector<double> probabilities;  // [vocab] of being chosen; 0 for tokens dropped by filters
  double margin = 1;  // the smallest relative distance of a filter's comparison from a tie
};

/// @param options  with a temperature above 0
Distribution exact_distribution(std::span<const float> logits,
                                const sampling::SamplerOptions& options,
                                const sampling::TokenCounts& counts);

/// The token of positive probability with the largest score + noise, computed for all of them.
Token straightforward_choice(const Distribution& distribution, std::uint64_t sequence_seed,
                             std::int64_t position);

}  // namespace outrider::test
