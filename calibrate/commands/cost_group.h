#pragma once

#include <string>
#include <vector>

#include "calibrate/cost/measure_cost.h"
#include "runtime/artifacts/hdf5_writer.h"

namespace outrider::calibrate {

/// "/cost/<machine>", with nothing but letters, digits, dots and dashes in the machine's name.
std::string cost_group(const std::string& machine);

/// Adds what was measured, on the grid and between its points, and the model fitted to it with its error.
void write_cost(const std::vector<ThreadsCost>& costs, artifacts::Hdf5Writer& file,
                const std::string& group);

}  // namespace outrider::calibrate
