#pragma once

#include "calibrate/cost/measure_cost.h"
#include "runtime/cost/cost_model.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// What passes take as far as a second's measurement tells.
struct RoughCosts {
  cost::CostModel passes;  // with all workers
  int workers = 1;
  double prefill_row = 0;  // seconds of a row of a context

  double seconds(const cost::PassPoint& point, int threads) const;
};

/// Times a few passes of one sequence.
RoughCosts time_roughly(engine::Engine& engine);

/// Seconds of measure_cost.
double predicted_seconds(const CostGrid& grid, const RoughCosts& costs);

/// The lists of a grid that were asked for.
struct FixedLists {
  bool threads = false, rows = false, contexts = false;
};

/// A grid that is measured in so many seconds: with fewer rounds; then without points between, with the most
/// threads alone, with every second number of rows, after the shortest context alone. Lists that were asked for
/// stay, and there is one round at least, so that large models and long lists take longer.
/// @param grid  contexts ascending
CostGrid fitted(CostGrid grid, const FixedLists& fixed, const RoughCosts& costs, double seconds);

}  // namespace outrider::calibrate
