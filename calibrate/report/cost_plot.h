#pragma once

#include <string>

#include "runtime/cost/machine_cost.h"

namespace outrider::calibrate {

/// SVG: the cost of k drafts of w tokens, in passes of one row (figure 1 of N-Grammys), for the last number of
/// threads. As one tree they are k * w rows below the root.
std::string plot_of(const cost::MachineCost& measured);

}  // namespace outrider::calibrate
