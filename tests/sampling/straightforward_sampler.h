#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::test {

/// What the sampler documents, written down with the C library's functions, full sorts and no
/// shortcuts.
struct Distribution {
  std::vector<double> scores;         // [vocab] (z - z of the best) / T
  std::vector<double> probabilities;  // [vocab] of being chosen; 0 where the filters drop a token
  double margin = 1;  // how far the filters' comparisons are from going the other way, relative
};

/// @param options  with a temperature above 0
Distribution exact_distribution(std::span<const float> logits,
                                const sampling::SamplerOptions& options,
                                const sampling::TokenCounts& counts);

/// The token of positive probability with the largest score + noise, every one of them computed.
Token straightforward_choice(const Distribution& distribution, std::uint64_t sequence_seed,
                             std::int64_t position);

}  // namespace outrider::test
