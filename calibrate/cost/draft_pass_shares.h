#pragma once

#include <vector>

#include "runtime/base/watch.h"
#include "runtime/cost/time_steps.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Times passes of a draft model over so many rows each, the choice of a token after each row included.
/// @return [rows] as shares of the target's pass over one row, each timed beside it
/// @throws Interrupted
std::vector<double> draft_pass_shares(engine::Engine& target, const cost::DraftModel& draft,
                                      int context, const std::vector<int>& rows, Watch& watch);

}  // namespace outrider::calibrate
