#include "runtime/cost/machine_cost.h"

#include <algorithm>

namespace outrider::cost {
namespace {

bool has_shape(const std::vector<TimedPass>& passes, Shape shape) {
  return std::any_of(passes.begin(), passes.end(),
                     [shape](const TimedPass& pass) { return pass.point.shape == shape; });
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

}  // namespace outrider::cost
