#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/cost_model.h"
#include "runtime/draft/length_costs.h"
#include "runtime/methods/method_target.h"

namespace outrider::methods {

/// What a text takes of the target's passes on this machine, where MethodTarget::sequences() texts share them. The costs of
/// passes are those that `calibrate cost` stored, else those that MethodTarget::quick_costs times at first use; nothing
/// where there are neither.
/// @throws InputError for an invalid group
std::optional<cost::CostModel> machine_costs(const MethodTarget& target,
                                             const artifacts::ArtifactSet& known);

/// Passes of up to 1 + `longest` rows of a shape, for texts of all lengths up to `context` tokens. Texts up to twice as long
/// as others cost the same, about; a row's share of a pass grows with the text.
std::vector<draft::LengthCosts> length_costs(const cost::CostModel& costs, int longest, int context,
                                             cost::Shape shape = cost::Shape::kChain);

}  // namespace outrider::methods
