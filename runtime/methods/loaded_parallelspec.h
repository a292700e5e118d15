#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/cost/time_steps.h"
#include "runtime/draft/drafter.h"
#include "runtime/draft/parallelspec/depth_drafts.h"
#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/engine/engine.h"
#include "runtime/methods/calibrated_trials.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// ParallelSpec's drafter, ready to draft for a target.
struct LoadedParallelSpec {
  std::unique_ptr<const draft::ParallelSpecModel> model;
  std::shared_ptr<engine::Engine> engine;    // of its layer
  std::shared_ptr<engine::Engine> residual;  // of Medusa's heads; null: none

  std::int64_t bytes() const {
    return engine->weight_bytes() + (residual ? residual->weight_bytes() : 0) +
           static_cast<std::int64_t>(model->layer.kept_bytes() + model->residual.kept_bytes());
  }
};

/// The model, which keeps its engines.
std::shared_ptr<const draft::ParallelSpecModel> model_of(
    const std::shared_ptr<const LoadedParallelSpec>& loaded);

/// The drafter as cost::time_steps takes it: all flavours but EAGLE-AR have one pass a round.
cost::DraftModel drafter_to_time(const std::shared_ptr<const LoadedParallelSpec>& loaded);

/// A drafter of it, which keeps it.
/// @throws std::logic_error as the drafters
std::unique_ptr<draft::Drafter> new_drafter(const std::shared_ptr<const LoadedParallelSpec>& loaded,
                                            const draft::ParallelSpecDrafterOptions& options);

/// Sets `draft`, where it is empty, and `artifacts` to the artifact file found with a drafter of the flavour.
/// @throws InputError where there is none
void find_parallelspec(const MethodTarget& target, draft::ParallelSpecModel::Flavour flavour,
                       std::string& draft, std::string& artifacts);

/// The drafter of an artifact file, to search for what calibration tried of it.
DrafterToFind parallelspec_to_find(const MethodTarget& target,
                                   draft::ParallelSpecModel::Flavour flavour,
                                   const std::string& draft, const std::string& artifacts);

/// @param draft      the setting: an artifact file; empty: the one found, which it becomes
/// @param artifacts  the setting; becomes the file that was found
/// @param threads    of the drafter: 1 or the target's
/// @throws InputError when there is no such drafter, and for one of another target or vocabulary
std::shared_ptr<const LoadedParallelSpec> load_parallelspec(
    const MethodTarget& target, draft::ParallelSpecModel::Flavour flavour, std::string& draft,
    std::string& artifacts, int threads);

}  // namespace outrider::methods
