#include "train/optimiser/gradients.h"

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace outrider::train {

double scale_gradients(const std::vector<Parameter>& parameters, double factor, double most_norm) {
  const c10::NoGradGuard no_gradients;
  std::vector<at::Tensor> norms;
  for (const Parameter& parameter : parameters)
    norms.push_back(at::linalg_vector_norm(parameter.value.grad()));
  // Fetched together: each time would wait for a GPU.
  const at::Tensor fetched = at::stack(norms).to(at::kCPU, at::kDouble);
  const double* const norm_of = fetched.const_data_ptr<double>();
  double squares = 0;
  for (std::size_t i = 0; i < norms.size(); ++i) squares += norm_of[i] * norm_of[i];
  const double norm = std::sqrt(squares) * std::abs(factor);
  if (!std::isfinite(norm)) return norm;
  if (most_norm > 0 && norm > most_norm) factor *= most_norm / norm;
  for (const Parameter& parameter : parameters) parameter.value.mutable_grad().mul_(factor);
  return norm;
}

}  // namespace outrider::train
