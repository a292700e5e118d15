#pragma once

#include <functional>
#include <vector>

#include "runtime/engine/cuda/device.h"

namespace outrider::device_check {

double median(std::vector<double> numbers);

/// How long something is measured: at least `least` times, until the time is up.
struct Effort {
  int least = 3;
  int most = 50;
  double seconds = 0.05;
};

/// The median time of `work`, which is timed as a whole.
double seconds_of(const Effort& effort, const std::function<void()>& work);

/// The median time of what `launch` asks of the device, recorded once and replayed: from the replay's call to the end of
/// its work. It has run once before.
double replayed_seconds(engine::cuda::Device& device, const Effort& effort,
                        const std::function<void()>& launch);

}  // namespace outrider::device_check
