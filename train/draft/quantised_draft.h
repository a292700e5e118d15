#pragma once

#include <string>

#include "runtime/model/model.h"

namespace outrider::train {

/// A draft with its matrices quantised.
/// @param draft  in f32
/// @param type   of the layers and the head: "q8_0" or "q4_1"; "none": as it is
/// @throws InputError where rows are no multiple of a block
model::Model quantised_draft(model::Model draft, const std::string& type);

/// Quantises draft::ParallelSpecModel::residual, whose matrices are as a layer's.
model::Model quantised_residual(model::Model residual, const std::string& type);

}  // namespace outrider::train
