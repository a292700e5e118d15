#pragma once

#include <cstdint>

#include "runtime/draft/parallel/parallel_model.h"

namespace outrider::test {

struct ParallelShape {
  draft::ParallelModel::Flavour flavour = draft::ParallelModel::Flavour::kEagle;
  bool token_inputs = true;
  int masks = 3;  // none for EAGLE-AR
};

/// A drafter as it may be before training: a target's last layer, a head for every third token, random
/// masks and, for EAGLE and EAGLE-AR, a random fc. These are without a final norm, Medusa with the target's.
/// @param target  its matrices are of one type that artifacts store
draft::ParallelModel tiny_parallel(const model::Model& target, const ParallelShape& shape,
                                   std::uint64_t seed);

}  // namespace outrider::test
