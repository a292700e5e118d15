#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/studies/study_files.h"
#include "runtime/base/stopwatch.h"
#include "runtime/base/watch.h"
#include "runtime/cost/machine_cost.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// What passes of a model and steps of drafters take on this machine.
struct CostStudy {
  // What is timed; each empty: the usual, or what the stored times are of.
  std::vector<int> threads, rows, contexts, sequences;
  std::optional<int> rounds;      // nothing: as many as there is time for
  std::optional<double> minutes;  // for all of it; 0: any. Nothing: one, or with rounds any
  bool add = false;               // this run to the stored times, if there are any
  Stopwatch time = {};            // since the minutes began
  StudyFiles files = {};
};

struct FoundCosts {
  cost::MachineCost measured;         // with the stored times, where it is added to them
  std::vector<std::string> left_out;  // drafters whose artifacts are missing
};

/// Times passes, and steps of all drafters whose artifacts there are, and writes the machine's group.
/// @throws InputError where the stored times are of other passes; Interrupted
FoundCosts find_costs(const model::Model& model, engine::Engine& engine, const CostStudy& study,
                      Watch& watch);

}  // namespace outrider::calibrate
