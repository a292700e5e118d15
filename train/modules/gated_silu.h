#pragma once

#include <ATen/core/Tensor.h>

namespace outrider::train {

/// silu(gate) · up; differentiable.
/// @param gate_up  [rows, 2 * ffn_width]: gates, then ups
/// @return [rows, ffn_width]
at::Tensor gated_silu(const at::Tensor& gate_up);

}  // namespace outrider::train
