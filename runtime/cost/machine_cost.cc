#include "runtime/cost/machine_cost.h"

#include <algorithm>

namespace outrider::cost {
namespace {

bool has_shape(const std::vector<TimedPass>& passes, Shape shape) {
  return std::any_of(passes.begin(), passes.end(), [shape](const TimedPass& pass) {
    return pass.point.shape == shape && pass.point.sequences == 1;
  });
}

bool are_of_same_points(const ThreadsCost& a, const ThreadsCost& b) {
  return a.threads == b.threads &&
         std::ranges::equal(a.passes, b.passes, [](const PassTime& one, const PassTime& other) {
           return one.held_out == other.held_out && one.point == other.point;
         });
}

/// Of `runs` runs and one more.
double mean(double stored, int runs, double further) {
  return (runs * stored + further) / (runs + 1);
}

void add_stored(const DrafterCosts::Drafter& stored, int runs, DrafterCosts::Drafter& drafter) {
  for (std::size_t i = 0; i < drafter.seconds.size(); ++i) {
    drafter.seconds[i] = mean(stored.seconds[i], runs, drafter.seconds[i]);
    drafter.low[i] = std::min(stored.low[i], drafter.low[i]);
    drafter.high[i] = std::max(stored.high[i], drafter.high[i]);
  }
}

}  // namespace

std::vector<TimedPass> ThreadsCost::medians(bool held_out) const {
  std::vector<TimedPass> timed;
  for (const PassTime& pass : passes)
    if (pass.held_out == held_out) timed.push_back({pass.point, pass.seconds.median});
  return timed;
}

std::optional<CostModel> MachineCost::model(int threads) const {
  for (const ThreadsCost& cost : passes) {
    if (cost.threads != threads) continue;
    const std::vector<TimedPass> timed = cost.medians(false);
    if (has_shape(timed, Shape::kChain) && has_shape(timed, Shape::kTree)) return CostModel(timed);
  }
  return std::nullopt;
}

bool are_of_same_passes(const MachineCost& a, const MachineCost& b) {
  return a.numerics == b.numerics && a.isa == b.isa &&
         std::ranges::equal(a.passes, b.passes, are_of_same_points);
}

MachineCost mean_of(const MachineCost& stored, MachineCost further) {
  further.runs = stored.runs + 1;
  for (std::size_t t = 0; t < further.passes.size(); ++t) {
    for (std::size_t p = 0; p < further.passes[t].passes.size(); ++p) {
      const Spread& before = stored.passes[t].passes[p].seconds;
      Spread& seconds = further.passes[t].passes[p].seconds;
      seconds = {mean(before.median, stored.runs, seconds.median),
                 std::min(before.low, seconds.low), std::max(before.high, seconds.high)};
    }
  }
  if (stored.drafters.contexts != further.drafters.contexts) return further;
  for (DrafterCosts::Drafter& drafter : further.drafters.drafters)
    for (const DrafterCosts::Drafter& before : stored.drafters.drafters)
      if (before.name == drafter.name) add_stored(before, stored.runs, drafter);
  return further;
}

}  // namespace outrider::cost
