#pragma once

#include <vector>

#include "calibrate/pld_plus/state_sweep.h"

namespace outrider::calibrate {

/// Most positions whose states are averaged.
inline constexpr int kMostAveraged = 6;
/// The weights of logits that are compared.
const std::vector<double>& logit_weights();

/// Averages of a layer's states over 1 to kMostAveraged positions, and then each weight of logits: what one sweep
/// compares.
std::vector<StateChoice> means_and_weights(int layer);

}  // namespace outrider::calibrate
