#pragma once

#include <string>

#include "calibrate/graph/tree_recorder.h"
#include "runtime/cost/graph_settings.h"

namespace outrider::calibrate {

/// SVG, for each temperature: tokens per pass and drafted nodes over k, tau and both thetas (figure 5 of Gong et
/// al. 2024), and the speed-up predicted on this machine by the number of children.
std::string plot_of(const cost::MachineGraphSettings& found, const RecordingLimits& limits);

}  // namespace outrider::calibrate
