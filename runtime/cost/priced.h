#pragma once

#include "runtime/cost/cost_model.h"
#include "runtime/cost/draft_grid.h"
#include "runtime/cost/draft_settings.h"

namespace outrider::cost {

/// What rounds cost on a machine: passes, and a step of the draft model as a share of a pass over one row,
/// since both are timed at different times and only a ratio stays the same when the machine's load changes.
struct RoundPrices {
  CostModel passes;
  int context = 0;        // tokens before the passes
  double step_share = 0;  // c of Leviathan et al. (2023)

  double pass_seconds(int rows) const { return passes.seconds({Shape::kChain, rows, context}); }
  double step_seconds() const { return step_share * pass_seconds(1); }
};

/// The settings with the speeds of a machine with these prices. Acceptance stays: tokens per round
/// depend on the texts and the two models only. How many rounds reach the i-th token follows from
/// how many more tokens are drafted with rounds of i tokens at most than with i - 1: within 0.4 %
/// of replaying every round.
DraftSettings priced(DraftSettings settings, const RoundPrices& prices);

/// A grid with the speeds of a machine with these prices. Its trees nearly always have as many nodes as in the mean.
DraftGrid priced(DraftGrid grid, const CostModel& passes);

}  // namespace outrider::cost
