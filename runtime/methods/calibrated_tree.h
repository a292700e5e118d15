#pragma once

#include <optional>
#include <string>

#include "runtime/cost/tree_settings.h"
#include "runtime/draft/parallel/parallel_model.h"
#include "runtime/methods/calibrated_passes.h"

namespace outrider::methods {

/// What `calibrate tree` found out about a drafter.
using CalibratedTree = CalibratedTrials<cost::MachineTreeSettings>;

/// The calibrated trees of a parallel drafter, found as by find_calibrated_draft.
/// @param draft  the artifact file that it was read from
/// @throws InputError for an invalid file
std::optional<CalibratedTree> find_calibrated_tree(const MethodTarget& target,
                                                   draft::ParallelModel::Flavour flavour,
                                                   const std::string& draft,
                                                   const std::string& artifacts);

}  // namespace outrider::methods
