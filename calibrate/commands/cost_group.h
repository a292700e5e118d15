#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/cost/measure_cost.h"
#include "runtime/artifacts/artifact_file.h"

namespace outrider::calibrate {

/// "/cost/<machine>", as artifacts::machine_group names it.
std::string cost_group(const std::string& machine);

/// Adds what was measured, on the grid and between its points ("passes/"), and the model fitted to it with
/// its error ("model/"). Beside them stand artifacts::DrafterCosts.
void write_cost(const std::vector<ThreadsCost>& costs, artifacts::Hdf5Writer& file,
                const std::string& group);

/// What was measured for this machine, fitted again, if it was with as many threads and the same
/// arithmetic as the engine's.
/// @throws InputError for a group that is there and is none
std::optional<CostModel> read_cost(const artifacts::ArtifactFile& file,
                                   const engine::Engine& engine);

}  // namespace outrider::calibrate
