#pragma once

#include <vector>

#include "runtime/cost/cost_model.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/trial.h"

namespace outrider::cost {

/// What passes of the target and of the drafter cost, these as shares of the target's over one row: they
/// are timed at different times, and only a ratio stays the same when the machine's load changes.
struct TrialPrices {
  CostModel passes;
  int context = 0;             // tokens before the passes
  std::vector<int> rows;       // as of DraftingCost; none: drafts take no passes
  std::vector<double> shares;  // likewise

  /// Of texts at a temperature.
  static TrialPrices at(double temperature, const CostModel& passes, int context,
                        const DraftingCost& drafting);

  double plain_seconds() const { return passes.seconds({Shape::kChain, 1, context}); }
  /// Between the numbers of rows in proportion; beyond the last, the last segment is extended. @return 0 without rows
  double draft_seconds(int num_rows) const;
  /// Tokens per second of a trial's rounds.
  /// @param shape  of what they verify
  /// @param times  what a further row of a pass costs, as a multiple of what it costs here
  double speed(const TrialCounts& trial, Shape shape, double times = 1) const;
};

}  // namespace outrider::cost
