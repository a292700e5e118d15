#include "train/optimiser/adamw.h"

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <utility>

namespace outrider::train {

AdamW::AdamW(std::vector<Parameter> parameters, const AdamWOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  const c10::NoGradGuard no_gradients;
  for (const Parameter& parameter : parameters_) {
    moments_.push_back({at::zeros_like(parameter.value), at::zeros_like(parameter.value)});
    // There from the start, so that the first gradient is added as all others are.
    parameter.value.mutable_grad() = at::zeros_like(parameter.value);
  }
}

void AdamW::step(double learning_rate) {
  const c10::NoGradGuard no_gradients;
  ++steps_;
  step_group(false, learning_rate);
  step_group(true, learning_rate);
}

void AdamW::step_group(bool decay, double learning_rate) {
  std::vector<at::Tensor> values, gradients, first, second, steps;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].decay != decay) continue;
    values.push_back(parameters_[i].value);
    gradients.push_back(parameters_[i].value.grad());
    first.push_back(moments_[i].first);
    second.push_back(moments_[i].second);
    steps.push_back(
        at::full({}, static_cast<double>(steps_), values.back().options().dtype(at::kFloat)));
  }
  if (values.empty()) return;
  at::_fused_adamw_(values, gradients, first, second, {}, steps, learning_rate, options_.beta1,
                    options_.beta2, decay ? options_.decay : 0, options_.epsilon,
                    /*amsgrad=*/false, /*maximize=*/false);
}

void AdamW::clear_gradients() {
  for (const Parameter& parameter : parameters_) parameter.value.mutable_grad().zero_();
}

}  // namespace outrider::train
