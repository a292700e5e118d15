#pragma once

#include <optional>
#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/cost/cost_model.h"
#include "runtime/engine/engine.h"

namespace outrider {

/// Where `calibrate cost` leaves what it measured: "/cost/<machine>", as artifacts::machine_group names
/// it.
std::string cost_group(const std::string& machine);

/// What was measured for this machine, fitted again, if it was with as many threads and the same
/// arithmetic as the engine's.
/// @throws InputError for a group that is there and is none
std::optional<cost::CostModel> measured_cost(const artifacts::ArtifactFile& file,
                                             const engine::Engine& engine);

}  // namespace outrider
