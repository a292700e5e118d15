#include "runtime/cost/time_steps.h"

#include <vector>

#include "runtime/cost/pass_timer.h"

namespace outrider::cost {

StepTimes time_steps(engine::Engine& target, engine::Engine& draft, int context, int rounds) {
  constexpr int kSteps = 4;
  PassTimer of_target(target), of_draft(draft);
  of_target.seconds(context, 1);  // fills the caches
  of_draft.seconds(context, 1);
  std::vector<double> target_seconds, draft_seconds;
  for (int round = 0; round < rounds; ++round) {
    target_seconds.push_back(of_target.seconds(context, 1));
    for (int step = 0; step < kSteps; ++step) draft_seconds.push_back(of_draft.seconds(context, 1));
  }
  return {spread_of(std::move(draft_seconds)), spread_of(std::move(target_seconds))};
}

}  // namespace outrider::cost
