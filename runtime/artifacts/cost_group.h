#pragma once

#include <optional>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/machine_cost.h"
#include "runtime/engine/engine.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kCost = "/cost";

/// "<what>/<name>", with nothing but letters, digits, dots and dashes in the name, such as a machine's.
std::string named_group(const std::string& what, const std::string& name);
/// "/cost/<machine>"
std::string cost_group(const std::string& machine);
/// Whether a group is such a one, and none below it.
bool is_cost_group(const std::string& group);

/// Writes the measured times ("passes/", "drafters/"), and for people the model fitted to them with its
/// error ("model/").
void write_cost(const cost::MachineCost& measured, hdf5::Writer& file, const std::string& group);
/// @throws InputError for an invalid group
cost::MachineCost read_cost(const hdf5::Reader& file, const std::string& group);

/// The cost of passes measured on this machine, if with the engine's number of threads and numerics.
/// @throws InputError for an invalid group
std::optional<cost::CostModel> measured_cost(const ArtifactSet& known,
                                             const engine::Engine& engine);

}  // namespace outrider::artifacts
