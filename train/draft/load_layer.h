#pragma once

#include "runtime/model/model.h"
#include "train/draft/draft_model.h"

namespace outrider::train {

/// A layer's weights dequantised. @param dtype  kFloat or kDouble
DraftLayer load_layer(const model::LayerWeights& weights, at::ScalarType dtype);

}  // namespace outrider::train
