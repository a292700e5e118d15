#pragma once

#include <optional>
#include <vector>

#include "calibrate/cost/measure_cost.h"
#include "calibrate/cost/measure_drafters.h"
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
  std::optional<cost::MachineCost> stored;  // to which this run is added
};

/// Times them. @param begun  when the time of `minutes` began
/// @throws InputError where the stored times are of other passes; Interrupted
cost::MachineCost find_costs(engine::Engine& engine, const CostStudy& study,
                             std::vector<NamedDrafter> drafters, const Stopwatch& begun,
                             Watch& watch);

}  // namespace outrider::calibrate
