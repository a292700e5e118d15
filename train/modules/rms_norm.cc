#include "train/modules/rms_norm.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Written by hand because the graph of its parts would keep five tensors of x's size and walk each.
struct RmsNorm : torch::autograd::Function<RmsNorm> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight,
                            double epsilon) {
    const at::Tensor length = at::linalg_vector_norm(x, 2, -1, /*keepdim=*/true);
    const at::Tensor scale = at::rsqrt(length * length / static_cast<double>(x.size(-1)) + epsilon);
    ctx->save_for_backward({x, weight, scale});
    return (x * scale).mul_(weight);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor& weight = saved[1];
    const at::Tensor& scale = saved[2];
    const at::Tensor normed = saved[0] * scale;
    at::Tensor x_grad, weight_grad;
    if (ctx->needs_input_grad(1)) weight_grad = (grads[0] * normed).sum(0);
    if (ctx->needs_input_grad(0)) {
      at::Tensor inner = grads[0] * weight;
      const at::Tensor share = (inner * normed).mean(-1, /*keepdim=*/true);
      x_grad = inner.sub_(normed * share).mul_(scale);
    }
    return {x_grad, weight_grad, at::Tensor()};
  }
};

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return RmsNorm::apply(x, weight, epsilon);
}

}  // namespace outrider::train
