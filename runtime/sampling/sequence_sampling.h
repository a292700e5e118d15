#pragma once

#include <cstdint>

#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::sampling {

/// All that the target's choices in one sequence follow from beside its logits: what a drafter needs
/// to draw with the target's noise. Refers to what the sequence owns.
struct SequenceSampling {
  const SamplerOptions& options;
  std::uint64_t seed;         // of the sequence
  const TokenCounts& counts;  // along the text so far; kept only where the options ask for them

  /// Of a sequence whose choices are the arg-max.
  static SequenceSampling greedy() {
    static const SamplerOptions options;
    static const TokenCounts counts{{}};
    return {options, 0, counts};
  }
};

}  // namespace outrider::sampling
