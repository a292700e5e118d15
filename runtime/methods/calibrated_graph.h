#pragma once

#include <optional>
#include <string>

#include "runtime/cost/graph_settings.h"
#include "runtime/methods/calibrated_passes.h"

namespace outrider::methods {

/// What `calibrate graph` found out about a draft model.
using CalibratedGraph = CalibratedTrials<cost::MachineGraphSettings>;

/// The calibrated settings of trees and graphs, found as by find_calibrated_draft.
/// @throws InputError for an invalid file
std::optional<CalibratedGraph> find_calibrated_graph(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts);

}  // namespace outrider::methods
