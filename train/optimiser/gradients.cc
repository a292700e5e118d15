#include "train/optimiser/gradients.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace outrider::train {

double scale_gradients(const std::vector<Parameter>& parameters, double factor, double most_norm) {
  const c10::NoGradGuard no_gradients;
  double squares = 0;
  for (const Parameter& parameter : parameters) {
    const double norm = at::linalg_vector_norm(parameter.value.grad()).item<double>();
    squares += norm * norm;
  }
  const double norm = std::sqrt(squares) * std::abs(factor);
  if (!std::isfinite(norm)) return norm;
  if (most_norm > 0 && norm > most_norm) factor *= most_norm / norm;
  for (const Parameter& parameter : parameters) parameter.value.mutable_grad().mul_(factor);
  return norm;
}

}  // namespace outrider::train
