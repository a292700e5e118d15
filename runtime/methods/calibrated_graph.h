#pragma once

#include <optional>
#include <string>

#include "runtime/cost/graph_settings.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What `calibrate graph` found out about a draft model.
struct CalibratedGraph {
  cost::MachineGraphSettings settings;
  bool this_machine = false;  // the times and speeds are this machine's
  std::string file;           // with the settings
};

/// As find_calibrated_draft, of trees and graphs: acceptance as found on this machine, else on another, with the
/// speeds that this machine's costs give. How much more the draft model's passes cost with more rows is as
/// on the machine of the calibration.
/// @throws InputError for an invalid file
std::optional<CalibratedGraph> find_calibrated_graph(const MethodTarget& target,
                                                     const std::string& draft,
                                                     const std::string& artifacts);

}  // namespace outrider::methods
