#pragma once

#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/cost_model.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Tokens before one of an answer, on average over all that lie in no loop; as many at most as passes
/// can be timed behind.
int usual_context(const engine::Engine& target, const std::vector<Answer>& answers);

struct PassCosts {
  cost::CostModel model;
  std::string origin;  // where the times are from, for a person
};

/// What `calibrate cost` measured on this machine with the engine's settings; where it did not, passes are
/// timed here.
/// @param most_rows  of any pass
PassCosts pass_costs(const engine::Engine& target, const artifacts::ArtifactSet& known,
                     int most_rows, int context);

}  // namespace outrider::calibrate
