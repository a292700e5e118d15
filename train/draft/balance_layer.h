#pragma once

#include "train/draft/draft_layer.h"

namespace outrider::train {

/// Brings a layer's weights to sizes that are alike, by powers of two, which changes nothing that it computes: AdamW's
/// steps are as long for all weights, and in some targets those that write into the residual stream are far shorter than the
/// others. Without gradients.
void balance_layer(DraftLayer& layer);

}  // namespace outrider::train
