#pragma once

#include <ATen/core/Tensor.h>

#include "train/reference/rope.h"

namespace outrider::train {

/// Rotates the heads of rows (see `rotate`); differentiable in x.
/// @param x     [rows, heads * head_width]
/// @param rope  of these rows
/// @return [rows, heads, head_width]
at::Tensor rotary(const at::Tensor& x, std::int64_t heads, const RopeTable& rope);

}  // namespace outrider::train
