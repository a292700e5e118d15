#pragma once

#include <optional>
#include <string>

#include "runtime/cost/graph_settings.h"
#include "runtime/methods/calibrated_passes.h"

namespace outrider::methods {

/// What `calibrate graph` found out about a draft model.
using CalibratedGraph = CalibratedTrials<cost::MachineGraphSettings>;

/// As find_calibrated_draft, of trees and graphs.
/// @throws InputError for an invalid file
std::optional<CalibratedGraph> find_calibrated_graph(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts);

}  // namespace outrider::methods
