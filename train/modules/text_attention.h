#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace outrider::train {

/// One text among the rows of a batch: its keys, and the queries that attend to them.
struct AttentionSpan {
  std::int64_t first_key;    // row of its first token
  std::int64_t keys;         // its tokens
  std::int64_t first_query;  // of `query_positions`
  std::int64_t queries;
};

/// Which rows of a batch attend to which: a query at position p to the keys 0 to p of its own text.
struct AttentionLayout {
  std::vector<AttentionSpan> spans;
  std::vector<std::int64_t> query_positions;  // [queries], ascending within a span
};

/// Causal attention within each text of a batch without padding, differentiable in q, k and v. Texts, or pieces of them
/// with the keys up to their last position, are computed together where they are of similar size.
/// @param q  [queries, heads, head_width], rotated
/// @param k  [rows, kv_heads, head_width], rotated; kv_heads divides heads
/// @param v  likewise, not rotated
/// @return [queries, heads * head_width]
at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionLayout& layout);

}  // namespace outrider::train
