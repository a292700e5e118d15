#include "calibrate/cost/pass_costs.h"

#include <fmt/core.h>

#include <algorithm>

#include "calibrate/cost/measure_cost.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/cost/pass_timer.h"

namespace outrider::calibrate {
namespace {

/// Times passes with the engine's threads.
std::vector<cost::TimedPass> time_passes(const engine::Engine& target, const std::vector<int>& rows,
                                         int context) {
  CostGrid grid;
  grid.threads = {target.workers()};
  grid.rows = rows;
  grid.contexts = {context};
  const auto costs = measure_cost(target, grid, [](int, int) { return true; });
  return costs.front().medians(false);
}

}  // namespace

int usual_context(const engine::Engine& target, const std::vector<Answer>& answers) {
  double tokens = 0, weights = 0;
  for (const Answer& answer : answers) {
    for (auto t = static_cast<std::size_t>(answer.prompt); t < answer.tokens.size(); ++t) {
      if (answer.loops_at(t)) continue;
      tokens += static_cast<double>(t);
      ++weights;
    }
  }
  const int longest = target.config().context - cost::PassTimer::kMostRows;
  const int usual = weights > 0 ? static_cast<int>(tokens / weights) : 1;
  return std::clamp(usual, 1, std::max(1, longest));
}

PassCosts pass_costs(const engine::Engine& target, const artifacts::ArtifactSet& known,
                     int most_rows, int context) {
  if (auto measured = artifacts::measured_cost(known, target))
    return {std::move(*measured), "what `calibrate cost` measured"};
  std::vector<int> rows = {1,  2,  3,  4,  5,  6,  7,  9,   11,  13,  16,
                           21, 25, 32, 41, 49, 64, 97, 128, 192, 256, 384};
  // The last one on the list is the first that is large enough.
  const auto enough = std::lower_bound(rows.begin(), rows.end() - 1, most_rows);
  rows.erase(enough + 1, rows.end());
  // A short model has no room for more rows; their times follow from those of fewer.
  const int room = std::max(1, target.config().context - context);
  std::erase_if(rows, [&](int count) { return count > room; });
  const std::vector<cost::TimedPass> timed = time_passes(target, rows, context);
  return {cost::CostModel(timed), fmt::format("passes after {} tokens", context), timed};
}

}  // namespace outrider::calibrate
