#pragma once

#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/cost/cost_model.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// The mean number of tokens before a token of an answer outside loops; at most the longest context
/// that can be timed.
int usual_context(const engine::Engine& target, const std::vector<Answer>& answers);

struct PassCosts {
  cost::CostModel model;
  std::string origin;                       // where the times are from, as text
  std::vector<cost::TimedPass> timed = {};  // now; none: by `calibrate cost`
};

/// The times measured by `calibrate cost` on this machine with the engine's settings; otherwise
/// passes are timed now.
/// @param most_rows  of any pass
PassCosts pass_costs(const engine::Engine& target, const artifacts::ArtifactSet& known,
                     int most_rows, int context);

}  // namespace outrider::calibrate
