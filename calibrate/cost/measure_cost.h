#pragma once

#include <functional>
#include <vector>

#include "runtime/cost/machine_cost.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

struct CostGrid {
  std::vector<int> threads;
  std::vector<int> rows = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384};
  std::vector<int> contexts = {25, 100, 500, 1000, 2000};
  int rounds = 5;
};

/// Points halfway between neighbouring numbers of a grid, which are timed and predicted but not
/// fitted. Every second one of the rows; none where the grid leaves no room.
std::vector<int> halfway(std::vector<int> grid);
std::vector<int> held_out_rows(const CostGrid& grid);

/// What `measure_cost` times, in its order, without times.
std::vector<cost::ThreadsCost> untimed_passes(const CostGrid& grid);

/// Times every point once in each round, so that a temporary slowdown of the machine affects all;
/// long passes, which vary less, are left out of the last rounds.
/// @param go_on  called with the number of finished rounds; false ends early, with at least one
std::vector<cost::ThreadsCost> measure_cost(const engine::Engine& engine, const CostGrid& grid,
                                            const std::function<bool(int)>& go_on);

}  // namespace outrider::calibrate
