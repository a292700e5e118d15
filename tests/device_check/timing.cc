#include "tests/device_check/timing.h"

#include <algorithm>
#include <memory>

#include "runtime/base/stopwatch.h"

namespace outrider::device_check {

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

double seconds_of(const Effort& effort, const std::function<void()>& work) {
  std::vector<double> times;
  const Stopwatch all;
  const auto enough = [&] {
    const int count = static_cast<int>(times.size());
    return count >= effort.most || (count >= effort.least && all.seconds() > effort.seconds);
  };
  while (!enough()) {
    const Stopwatch one;
    work();
    times.push_back(one.seconds());
  }
  return median(std::move(times));
}

double replayed_seconds(engine::cuda::Device& device, const Effort& effort,
                        const std::function<void()>& launch) {
  device.begin_capture();
  launch();
  const std::unique_ptr<engine::cuda::Graph> graph = device.end_capture();
  const auto run = [&] {
    device.replay(*graph);
    device.synchronise();
  };
  run();
  return seconds_of(effort, run);
}

}  // namespace outrider::device_check
