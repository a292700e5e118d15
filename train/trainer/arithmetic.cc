#include "train/trainer/arithmetic.h"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/ops/full.h>
#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/stopwatch.h"
#include "runtime/engine/machine.h"

namespace outrider::train {

std::string arithmetic_name() {
  return fmt::format("{} threads, {}, {}", at::get_num_threads(), at::get_cpu_capability(),
                     engine::machine_name());
}

double measure_peak_flops(Precision precision) {
  constexpr std::int64_t kWidth = 1024;
  constexpr double kSeconds = 0.1;
  const at::Tensor matrix = operand(at::full({kWidth, kWidth}, 1.0, at::kFloat), precision);
  product(matrix, matrix);  // wakes the threads and packs what is packed once
  double best = 0;
  for (Stopwatch watch; watch.seconds() < kSeconds;) {
    watch.lap();
    product(matrix, matrix);
    const double flops = 2.0 * kWidth * kWidth * kWidth;
    best = std::max(best, flops / watch.lap());
  }
  return best;
}

}  // namespace outrider::train
