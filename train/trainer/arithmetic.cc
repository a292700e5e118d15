#include "train/trainer/arithmetic.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/ops/full.h>
#include <fmt/core.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/stopwatch.h"
#include "runtime/engine/machine.h"

namespace outrider::train {

std::string arithmetic_name(const TrainingDevice& device) {
  if (!device.gpu.empty()) return fmt::format("{}, LibTorch {}", device.gpu, TORCH_VERSION);
  return fmt::format("{} threads, {}, {}", at::get_num_threads(), at::get_cpu_capability(),
                     engine::machine_name());
}

double measure_peak_flops(Precision precision, at::Device device) {
  const std::int64_t width =
      device.is_cuda() ? 8192 : 1024;  // a GPU is faster the larger a product is
  constexpr double kSeconds = 0.1;
  const at::Tensor matrix =
      operand(at::full({width, width}, 1.0, at::device(device).dtype(at::kFloat)), precision);
  // Done once a number of it has been fetched: a GPU computes beside the processor.
  const auto multiply = [&] { product(matrix, matrix).view(-1)[0].item<float>(); };
  multiply();  // wakes the threads and packs what is packed once
  double best = 0;
  for (Stopwatch watch; watch.seconds() < kSeconds;) {
    watch.lap();
    multiply();
    best = std::max(best, 2 * std::pow(static_cast<double>(width), 3) / watch.lap());
  }
  return best;
}

}  // namespace outrider::train
