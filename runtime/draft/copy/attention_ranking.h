#pragma once

#include <span>
#include <vector>

#include "runtime/draft/copy/copy_sources.h"

namespace outrider::draft {

/// How the attention of several heads becomes one number.
enum class Aggregation { kMax, kSum };

/// Adds one head's attention to what the heads before it gave. Empty scores: none did.
void aggregate(Aggregation how, std::span<const float> attention, std::vector<float>& scores);

/// Position t's sources with the scores that row t - 1 gives them. PLD+ (Somasundaram et al. 2024),
/// eq. 2.
/// @param attention  [heads, sources]
std::vector<RankedSource> scored_by_attention(Aggregation how, std::span<const int> sources,
                                              std::span<const float> attention);

}  // namespace outrider::draft
