#include "calibrate/cost/cost_plan.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "runtime/cost/pass_timer.h"

namespace outrider::calibrate {
namespace {

constexpr int kMostRounds = 9, kFewRounds = 3;
constexpr int kRoughContext = 64;

/// The next thinner grid; nothing where there is none.
std::optional<CostGrid> thinner(CostGrid grid, const FixedLists& fixed) {
  if (grid.held_out) {
    grid.held_out = false;
    return grid;
  }
  if (!fixed.threads && grid.threads.size() > 1) {
    const int most = *std::max_element(grid.threads.begin(), grid.threads.end());
    grid.threads.assign(1, most);
    return grid;
  }
  if (!fixed.rows && grid.rows.size() > 6) {
    std::vector<int> rows;
    for (std::size_t i = 0; i < grid.rows.size(); ++i)
      if (i % 2 == 0 || i + 1 == grid.rows.size()) rows.push_back(grid.rows[i]);
    grid.rows = rows;
    return grid;
  }
  if (!fixed.contexts && grid.contexts.size() > 1) {
    grid.contexts.erase(grid.contexts.begin() + 1, grid.contexts.end());
    return grid;
  }
  return std::nullopt;
}

}  // namespace

double RoughCosts::seconds(const cost::PassPoint& point, int threads) const {
  return passes.seconds(point) * std::max(1.0, static_cast<double>(workers) / threads);
}

RoughCosts time_roughly(engine::Engine& engine) {
  cost::PassTimer timer(engine);
  const int context = std::min(kRoughContext, engine.config().context - cost::PassTimer::kMostRows);
  std::vector<cost::TimedPass> passes;
  timer.seconds(context, 1);  // fills the cache
  for (const int rows : {1, 8, 48}) {
    const double seconds = std::min(timer.seconds(context, rows), timer.seconds(context, rows));
    for (const cost::Shape shape : {cost::Shape::kChain, cost::Shape::kTree})
      passes.push_back({{shape, rows, context}, seconds});
  }
  const double of_many = passes.back().seconds;
  return {cost::CostModel(passes), engine.workers(), of_many / 48};
}

double predicted_seconds(const CostGrid& grid, const RoughCosts& costs) {
  double seconds =
      costs.prefill_row * *std::max_element(grid.contexts.begin(), grid.contexts.end());
  for (const cost::ThreadsCost& threads : untimed_passes(grid)) {
    for (const cost::PassTime& pass : threads.passes) {
      const double once = costs.seconds(pass.point, threads.threads);
      const int visits = visits_of_a_round(once);
      seconds += once * (visits == 1 ? 1 : visits + 1) * rounds_of_a_pass(once, grid.rounds);
    }
  }
  return seconds;
}

CostGrid fitted(CostGrid grid, const FixedLists& fixed, const RoughCosts& costs, double seconds) {
  for (;;) {
    for (grid.rounds = kMostRounds; grid.rounds >= kFewRounds; --grid.rounds)
      if (predicted_seconds(grid, costs) <= seconds) return grid;
    std::optional<CostGrid> next = thinner(grid, fixed);
    if (!next) break;
    grid = std::move(*next);
  }
  for (grid.rounds = kFewRounds; grid.rounds > 1; --grid.rounds)
    if (predicted_seconds(grid, costs) <= seconds) break;
  return grid;
}

}  // namespace outrider::calibrate
