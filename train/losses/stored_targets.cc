#include "train/losses/stored_targets.h"

#include <ATen/ATen.h>

namespace outrider::train {

StoredTargets stored_targets(const QueryTargets& targets, std::int64_t first, std::int64_t count,
                             at::ScalarType type) {
  const at::Tensor rows = targets.rows.narrow(0, first, count);
  const at::Tensor known = rows.ge(0);
  const at::Tensor probabilities =
      targets.probabilities.narrow(0, first, count).to(type) * known.to(type);
  return {.known = known,
          .rows = rows.clamp_min(0),
          .probabilities = probabilities,
          .rest = (1 - probabilities.sum(-1, /*keepdim=*/true)).clamp_min(0)};
}

}  // namespace outrider::train
