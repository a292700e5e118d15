#pragma once

#include <cstdint>
#include <memory>

#include "runtime/draft/drafter.h"
#include "runtime/draft/parallel/depth_drafts.h"
#include "runtime/draft/parallel/parallel_model.h"
#include "runtime/engine/engine.h"

namespace outrider::test {

struct ParallelShape {
  draft::ParallelModel::Flavour flavour = draft::ParallelModel::Flavour::kEagle;
  bool token_inputs = true;  // never of Medusa's heads
  int masks = 3;             // none for EAGLE-AR
};

/// A drafter as it may be before training: a target's last layer, a head for every third token, random
/// masks and, for EAGLE and EAGLE-AR, a random fc. These are without a final norm, Medusa with the target's. Medusa's
/// heads are random.
/// @param target  its matrices are of one type that artifacts store
draft::ParallelModel tiny_parallel(const model::Model& target, const ParallelShape& shape,
                                   std::uint64_t seed);

/// Its drafter, on engines beside the target's.
std::unique_ptr<draft::Drafter> parallel_drafter(std::shared_ptr<const draft::ParallelModel> model,
                                                 const engine::Engine& target,
                                                 const draft::ParallelDrafterOptions& options);

}  // namespace outrider::test
