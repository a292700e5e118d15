#include "train/modules/linear.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Linear : torch::autograd::Function<Linear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& w,
                            bool bf16) {
    const Precision precision = bf16 ? Precision::kBf16 : Precision::kF32;
    const at::Tensor left = operand(x, precision);
    const at::Tensor right = operand(w, precision);
    ctx->save_for_backward({left, right});
    ctx->saved_data["x_type"] = static_cast<std::int64_t>(x.scalar_type());
    ctx->saved_data["w_type"] = static_cast<std::int64_t>(w.scalar_type());
    return product(left, right);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto type = [&](const char* name) {
      return static_cast<at::ScalarType>(ctx->saved_data[name].toInt());
    };
    const at::Tensor grad = grads[0].to(saved[0].scalar_type());
    at::Tensor x_grad, w_grad;
    if (ctx->needs_input_grad(0)) x_grad = product(grad, saved[1].t()).to(type("x_type"));
    if (ctx->needs_input_grad(1)) w_grad = product(grad.t(), saved[0].t()).to(type("w_type"));
    return {x_grad, w_grad, at::Tensor()};
  }
};

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& w, Precision precision) {
  return Linear::apply(x, w, precision == Precision::kBf16);
}

}  // namespace outrider::train
