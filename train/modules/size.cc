#include "train/modules/size.h"

#include <ATen/ATen.h>

#include <cmath>

namespace outrider::train {

double root_mean_square(const at::Tensor& numbers) {
  return std::sqrt(numbers.detach().square().mean(at::kDouble).item<double>());
}

double power_of_two_near(double size) {
  return size > 0 && std::isfinite(size) ? std::exp2(std::round(std::log2(size))) : 1;
}

}  // namespace outrider::train
