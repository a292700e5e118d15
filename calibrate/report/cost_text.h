#pragma once

#include <string>
#include <vector>

#include "runtime/cost/machine_cost.h"

namespace outrider::calibrate {

/// What passes and drafters take, as text. @param left_out  drafters that were not timed
std::string cost_text(const cost::MachineCost& measured, const std::vector<std::string>& left_out);

}  // namespace outrider::calibrate
