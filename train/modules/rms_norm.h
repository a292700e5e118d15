#pragma once

#include <ATen/core/Tensor.h>

namespace outrider::train {

/// weight · x / sqrt(mean(x²) + epsilon) of every row; differentiable in both.
/// @param x       [rows, width]
/// @param weight  [width]
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

}  // namespace outrider::train
