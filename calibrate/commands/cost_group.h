#pragma once

#include <string>
#include <vector>

#include "calibrate/cost/measure_cost.h"
#include "runtime/hdf5/writer.h"

namespace outrider::calibrate {

/// Adds what was measured, on the grid and between its points ("passes/"), and the model fitted to it with
/// its error ("model/"). Beside them stand artifacts::DrafterCosts; measured_cost reads them.
/// @param group  outrider::cost_group
void write_cost(const std::vector<ThreadsCost>& costs, hdf5::Writer& file,
                const std::string& group);

}  // namespace outrider::calibrate
