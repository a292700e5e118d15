#pragma once

#include <string>
#include <vector>

#include "calibrate/graph/stretches.h"
#include "calibrate/graph/tree_recorder.h"
#include "runtime/cost/time_steps.h"

namespace outrider::calibrate {

// The long parts of `calibrate graph`, with progress.

/// Records the trees of stretches. @param what  of the progress
/// @throws Interrupted
std::vector<RecordedStretch> record_stretches(TreeRecorder& recorder,
                                              const std::vector<Stretch>& stretches,
                                              const std::string& what, bool quiet);

/// Times passes of a draft model over so many rows each, the choice of a token after each row included.
/// @return [rows] as shares of the target's pass over one row, each timed beside it
/// @throws Interrupted
std::vector<double> draft_pass_shares(engine::Engine& target, const cost::DraftModel& draft,
                                      int context, const std::vector<int>& rows, bool quiet);

}  // namespace outrider::calibrate
