#pragma once

#include <cstdint>

#include "runtime/sampling/noise_bounds.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::sampling {

/// All that the target's choices in one sequence depend on besides its logits: what a drafter needs to draw
/// with the target's noise. Refers to data owned by the sequence.
struct SequenceSampling {
  const SamplerOptions& options;
  std::uint64_t seed;             // of the sequence
  const TokenCounts& counts;      // along the text so far; kept only if the options use them
  NoiseBounds* bounds = nullptr;  // shared by the target and its drafters; null: none

  /// The same along another text, of which these are the counts.
  SequenceSampling with(const TokenCounts& other) const { return {options, seed, other, bounds}; }

  /// The sampling of a greedy sequence.
  static SequenceSampling greedy() {
    static const SamplerOptions options;
    static const TokenCounts counts{{}};
    return {options, 0, counts};
  }
};

}  // namespace outrider::sampling
