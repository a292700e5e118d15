#pragma once

#include <vector>

#include "runtime/cost/cost_model.h"
#include "runtime/cost/graph_trial.h"

namespace outrider::cost {

/// What passes of the target and of the draft model cost, these as shares of the target's over one row: they
/// are timed at different times, and only a ratio stays the same when the machine's load changes.
struct GraphPrices {
  CostModel passes;
  int context = 0;             // tokens before the passes
  std::vector<int> rows;       // of passes of the draft model, ascending, from 1 on
  std::vector<double> shares;  // [rows]

  double plain_seconds() const { return passes.seconds({Shape::kChain, 1, context}); }
  /// Between the numbers of rows in proportion; beyond the last, the last segment is extended.
  double draft_seconds(int num_rows) const;
  /// Tokens per second of a trial's rounds.
  double speed(const GraphTrial& trial) const;
};

}  // namespace outrider::cost
