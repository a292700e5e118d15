#pragma once

#include <ATen/core/Tensor.h>

#include "runtime/model/config.h"

namespace outrider::train {

/// Rotary position embedding (Su et al., 2021), half-split: number i of the rotated part of a head is
/// paired with number i + rotary_width / 2.
struct RopeTable {
  at::Tensor cos;  // [rows, rotary_width], both halves the same
  at::Tensor sin;  // likewise
};

/// Angles position / base^(2i / rotary_width) / divisor i, computed in float for any `dtype`,
/// because models were trained with these roundings.
/// @param positions  [rows] int64
RopeTable rope_table(const at::Tensor& positions, const model::ModelConfig& config,
                     at::ScalarType dtype);

/// @param x  [heads, rows, head_width]; numbers from rotary_width on are not changed
at::Tensor rotate(const at::Tensor& x, const RopeTable& rope);

}  // namespace outrider::train
