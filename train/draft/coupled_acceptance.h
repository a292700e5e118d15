#pragma once

#include <ATen/core/Tensor.h>

namespace outrider::train {

/// The probability that target and draft draw the same token with the same Gumbel noise,
/// Σ_v 1 / Σ_w max(p_w / p_v, q_w / q_v), of some tokens, with all others as one w.
/// @param p       [rows, k] probabilities by the target; 0 where a token has no head row
/// @param p_rest  [rows, 1] those of all other tokens together
/// @param q       [rows, k] by the draft; 0 likewise
/// @param q_rest  [rows, 1]
/// @return [rows]
at::Tensor coupled_acceptance(const at::Tensor& p, const at::Tensor& p_rest, const at::Tensor& q,
                              const at::Tensor& q_rest);

}  // namespace outrider::train
