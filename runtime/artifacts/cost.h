#pragma once

#include <optional>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/machine_cost.h"
#include "runtime/engine/engine.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// "<what>/<machine>", with nothing but letters, digits, dots and dashes in the machine's name.
std::string machine_group(const std::string& what, const std::string& machine);
/// "/cost/<machine>"
std::string cost_group(const std::string& machine);

/// Adds what was timed ("passes/", "drafters/"), and for people the model fitted to it with its error
/// ("model/").
void write_cost(const cost::MachineCost& measured, hdf5::Writer& file, const std::string& group);
/// @throws InputError for what is not such a group
cost::MachineCost read_cost(const hdf5::Reader& file, const std::string& group);

/// The cost of passes as measured on this machine, if it was with as many threads and the same
/// arithmetic as the engine's.
/// @throws InputError for a group that is there and is none
std::optional<cost::CostModel> measured_cost(const ArtifactSet& known,
                                             const engine::Engine& engine);

}  // namespace outrider::artifacts
