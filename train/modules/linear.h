#pragma once

#include <ATen/core/Tensor.h>

#include "train/modules/precision.h"

namespace outrider::train {

/// x wᵀ with the products of `precision`; differentiable in both.
/// @param x  [rows, inputs]
/// @param w  [outputs, inputs]
/// @return [rows, outputs], bf16 under kBf16
at::Tensor linear(const at::Tensor& x, const at::Tensor& w, Precision precision);

}  // namespace outrider::train
