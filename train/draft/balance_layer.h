#pragma once

#include "train/draft/draft_layer.h"

namespace outrider::train {

/// Gives a layer's matrices and norms weights of similar size, and changes none of its outputs: a factor, a power of two,
/// moves from one matrix to the next. AdamW's steps do not depend on a weight's size, and in some targets the weights that
/// write into the residual stream are far smaller than the others. To be called without gradients.
void balance_layer(DraftLayer& layer);

}  // namespace outrider::train
