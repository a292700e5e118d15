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
  std::string machine;  // engine::Place::name
  std::string numerics, isa;
  int runs =
      1;  // that the times are means of; low and high are the least and the greatest of all runs
  std::vector<ThreadsCost> passes;  // by number of threads
  DrafterCosts drafters;

  /// Fitted to the passes on the grid with so many threads; nothing unless both shapes were timed with one sequence.
  std::optional<CostModel> model(int threads) const;
};

/// Whether both are of the same passes, numerics and instruction set.
bool are_of_same_passes(const MachineCost& a, const MachineCost& b);

/// The mean of `stored`, counted `stored.runs` times, and of one further run of the same passes; drafters that only
/// `further` has are taken from it, and all where their contexts differ; those that only `stored` has are left out.
MachineCost mean_of(const MachineCost& stored, MachineCost further);

}  // namespace outrider::cost
