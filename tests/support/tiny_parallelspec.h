#pragma once

#include <cstdint>
#include <memory>

#include "runtime/draft/drafter.h"
#include "runtime/draft/parallelspec/depth_drafts.h"
#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/engine/engine.h"

namespace outrider::test {

struct ParallelSpecShape {
  draft::ParallelSpecModel::Flavour flavour = draft::ParallelSpecModel::Flavour::kEagle;
  bool token_inputs = true;  // never of Medusa's heads
  int masks = 3;             // none for EAGLE-AR
};

/// A drafter as it may be before training: a target's last layer, a head for every third token, random
/// masks and, for EAGLE and EAGLE-AR, a random fc. These are without a final norm, Medusa with the target's. Medusa's
/// heads are random.
/// @param target  its matrices are of one type that artifacts store
draft::ParallelSpecModel tiny_parallelspec(const model::Model& target,
                                           const ParallelSpecShape& shape, std::uint64_t seed);

/// Its drafter, on engines beside the target's.
std::unique_ptr<draft::Drafter> parallelspec_drafter(
    std::shared_ptr<const draft::ParallelSpecModel> model, const engine::Engine& target,
    const draft::ParallelSpecDrafterOptions& options);

}  // namespace outrider::test
