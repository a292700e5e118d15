#pragma once

#include "runtime/model/model.h"

namespace outrider::engine {

/// The model, whose shape all kernels take.
/// @throws InputError for a width that is not a multiple of what they need
/// @throws std::logic_error for a projection of states of another shape than the model's
const model::Model& checked_shape(const model::Model& model);

}  // namespace outrider::engine
