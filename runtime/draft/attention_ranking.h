#pragma once

#include <span>
#include <vector>

#include "runtime/draft/copy_sources.h"
#include "runtime/engine/taps.h"

namespace outrider::draft {

/// How the attention of several heads becomes one number.
enum class Aggregation { kMax, kSum };

/// Adds one head's attention row to what the heads before it gave. Empty scores: none did.
void aggregate(Aggregation how, std::span<const float> attention, std::vector<float>& scores);

/// The same for all heads tapped of a row, in the order of the taps: [positions up to the row's].
void aggregate(Aggregation how, const engine::Taps& taps, int row, std::vector<float>& scores);

/// Position t's sources with the scores that row t - 1 gives them. PLD+ (Somasundaram et al. 2024),
/// eq. 2.
/// @param scores  [t], of positions up to t - 1
std::vector<RankedSource> scored_by_attention(std::span<const int> sources,
                                              std::span<const float> scores);

}  // namespace outrider::draft
