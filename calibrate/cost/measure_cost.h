#pragma once

#include <functional>
#include <vector>

#include "runtime/cost/machine_cost.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// The passes to time. Passes are linear in the context, so two contexts tell all of them; where they are not in the
/// rows, there are more numbers of rows.
struct CostGrid {
  std::vector<int> threads;
  std::vector<int> rows = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
  std::vector<int> contexts = {100, 1000};
  /// Besides passes of one sequence, chains of several: with the largest number of threads, of `rows_each` rows of
  /// every sequence as far as the widest pass goes.
  std::vector<int> sequences = {1};
  std::vector<int> rows_each = {1, 2, 4, 8};
  bool held_out = true;  // also times points between those of the grid
  int rounds = 5;
};

/// Points halfway between neighbouring numbers of a grid, which are timed and predicted but not
/// fitted. Every second one of the rows; none where the grid leaves no room.
std::vector<int> halfway(std::vector<int> grid);
std::vector<int> held_out_rows(const CostGrid& grid);

/// What `measure_cost` times, in its order, without times.
std::vector<cost::ThreadsCost> untimed_passes(const CostGrid& grid);

/// How often one round times a pass that takes so long: a short one varies more.
int visits_of_a_round(double seconds);
/// Of how many rounds so long passes are timed in: those that take nearly all of the time only in the first.
int rounds_of_a_pass(double seconds, int rounds);

/// Called with the number of points whose turn is over, out of the grid's points times its rounds.
using OnTimed = std::function<bool(int done, int total)>;

/// Times every point in each round, so that a temporary slowdown of the machine affects all; long passes, which
/// vary less, are left out of the last rounds.
/// @param go_on  false ends early, but not before every point was timed; what it throws ends at once
std::vector<cost::ThreadsCost> measure_cost(const engine::Engine& engine, const CostGrid& grid,
                                            const OnTimed& go_on);

}  // namespace outrider::calibrate
