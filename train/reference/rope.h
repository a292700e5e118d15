#pragma once

#include <ATen/core/Tensor.h>

namespace outrider::train {

/// Rotary position embedding (Su et al., 2021), half-split: number i of a head turns together with
/// number i + head_width / 2.
struct RopeTable {
  at::Tensor cos;  // [rows, head_width], both halves the same
  at::Tensor sin;  // likewise
};

/// Angles position / base^(2i / head_width), formed in float whatever `dtype` is: models were
/// trained with these very roundings.
/// @param positions  [rows] int64
RopeTable rope_table(const at::Tensor& positions, int head_width, double base,
                     at::ScalarType dtype);

/// @param x  [heads, rows, head_width]
at::Tensor rotate(const at::Tensor& x, const RopeTable& rope);

}  // namespace outrider::train
