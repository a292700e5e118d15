#pragma once

#include <ATen/core/Tensor.h>

#include "train/modules/text_attention.h"

namespace outrider::train {

/// Attention of parallel groups (Xiao et al. 2024, figure 3), differentiable in all five tensors. The group
/// at position p of a text has M masks, and S queries: its masks', and before these, if S = M + 1, that of
/// its real token. All attend to the text's keys 0 to p; the query of mask i attends to masks 1 to i of its
/// own group too, and to no other mask. Shares are computed again in the backward pass, some groups at a
/// time: what is kept grows with keys and groups, never with their product.
/// @param q       [groups, S, heads, head_width], rotated
/// @param k       [rows, kv_heads, head_width] of the texts' tokens, rotated; kv_heads divides heads
/// @param v       likewise, not rotated
/// @param mask_k  [groups, M, kv_heads, head_width], rotated
/// @param mask_v  likewise, not rotated
/// @param layout  its queries are groups
/// @return [groups, S, heads * head_width]
at::Tensor group_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const at::Tensor& mask_k, const at::Tensor& mask_v,
                           const AttentionLayout& layout);

}  // namespace outrider::train
