#pragma once

#include <cstdint>

namespace outrider::train {

/// The learning rate rises linearly over the warm-up and then falls along half a cosine.
struct Schedule {
  double peak = 1.5e-3;
  double floor = 0.05;       // share of the peak that is left at the end
  std::int64_t warm_up = 0;  // steps
  std::int64_t steps = 1;    // of the whole run
};

/// The learning rate of a step, [0, steps): the warm-up's last step has the peak, the run's last the
/// floor.
double learning_rate(const Schedule& schedule, std::int64_t step);

}  // namespace outrider::train
