#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cost/cost_model.h"
#include "runtime/cost/drafter_costs.h"
#include "runtime/cost/statistics.h"

namespace outrider::cost {

struct PassTime {
  PassPoint point;
  bool held_out = false;  // between the points of the grid: timed for checking predictions only
  Spread seconds;
};

/// The passes timed with one number of threads.
struct ThreadsCost {
  int threads = 1;
  std::vector<PassTime> passes;

  /// The medians of the passes on the grid, or of the held-out ones.
  std::vector<TimedPass> medians(bool held_out) const;
};

/// Times of a target's passes and of drafters' steps on one machine.
struct MachineCost {
  std::string machine;  // engine::machine_name
  std::string numerics, isa;
  std::vector<ThreadsCost> passes;  // by number of threads
  DrafterCosts drafters;            // empty in older files

  /// Fitted to the passes on the grid with so many threads; nothing unless both shapes were timed.
  std::optional<CostModel> model(int threads) const;
};

}  // namespace outrider::cost
