#pragma once

#include <span>
#include <vector>

#include "runtime/draft/copy/copy_sources.h"

namespace outrider::draft {

/// How the attention of several heads is combined.
enum class Aggregation { kMax, kSum };

/// Combines one head's attention with that of the heads before it. Empty `scores`: the first head.
void aggregate(Aggregation how, std::span<const float> attention, std::vector<float>& scores);

/// Position t's sources with their scores by row t - 1. PLD+ (Somasundaram et al. 2024),
/// eq. 2.
/// @param attention  [heads, sources]
/// @param scored     gets them; a buffer
void score_by_attention(Aggregation how, std::span<const int> sources,
                        std::span<const float> attention, std::vector<RankedSource>& scored);

}  // namespace outrider::draft
