#pragma once

#include <ATen/core/Tensor.h>

#include "runtime/model/weight.h"

namespace outrider::train {

/// The weight dequantised, [rows, columns].
at::Tensor load_matrix(const model::Weight& weight, at::ScalarType dtype);

/// Its numbers in one row; undefined if the model has no such vector.
at::Tensor load_vector(const model::Weight& weight, at::ScalarType dtype);

}  // namespace outrider::train
