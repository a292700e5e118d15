#pragma once

#include <ATen/core/Tensor.h>

#include "train/batches/packed_batch.h"

namespace outrider::train {

/// The target's distribution at some queries: stored tokens that the head has a row for, and one bucket
/// for all others.
struct StoredTargets {
  at::Tensor known;          // [queries, k] bool: the token has a row
  at::Tensor rows;           // [queries, k] int64; 0 where it has none
  at::Tensor probabilities;  // [queries, k]; 0 where it has none
  at::Tensor rest;           // [queries, 1]: 1 - Σ probabilities
};

/// The target's distribution at queries [first, first + count).
StoredTargets stored_targets(const QueryTargets& targets, std::int64_t first, std::int64_t count,
                             at::ScalarType type);

}  // namespace outrider::train
