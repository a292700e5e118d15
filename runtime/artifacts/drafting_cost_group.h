#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// "/cost/<machine>/drafting/<method>", or "/cost/<machine>/drafting/<method>/<drafter>": as trials_group
std::string drafting_cost_group(const std::string& machine, const std::string& method,
                                const std::string& drafter = "");
/// The groups of a method's drafters, of all machines.
std::vector<std::string> drafting_cost_groups(const ArtifactSet& known, const std::string& method);

void write_drafting_cost(const cost::DraftingCost& measured, hdf5::Writer& file,
                         const std::string& group);
/// @throws InputError for an invalid group
cost::DraftingCost read_drafting_cost(const hdf5::Reader& file, const std::string& group);
/// What the target's passes cost on the machine of such a group, with the same threads: by `calibrate cost`, or as they were
/// timed with the drafter's. @throws InputError for an invalid group
std::optional<cost::CostModel> passes_beside(const ArtifactSet& known, const std::string& group,
                                             const cost::DraftingCost& measured);

}  // namespace outrider::artifacts
