#include "train/optimiser/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace outrider::train {

double learning_rate(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.warm_up)
    return schedule.peak * static_cast<double>(step + 1) / static_cast<double>(schedule.warm_up);
  // From the warm-up's last step, which has the peak; without one from the first.
  const std::int64_t begin = std::max<std::int64_t>(schedule.warm_up - 1, 0);
  const std::int64_t length = std::max<std::int64_t>(schedule.steps - 1 - begin, 1);
  const double part =
      std::clamp(static_cast<double>(step - begin) / static_cast<double>(length), 0.0, 1.0);
  const double fall = (1 + std::cos(std::numbers::pi * part)) / 2;
  return schedule.peak * (schedule.floor + (1 - schedule.floor) * fall);
}

}  // namespace outrider::train
