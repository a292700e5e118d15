#include "train/modules/gated_silu.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct GatedSilu : torch::autograd::Function<GatedSilu> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& gate_up) {
    ctx->save_for_backward({gate_up});
    const auto parts = gate_up.chunk(2, -1);
    return at::silu(parts[0]).mul_(parts[1]);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const at::Tensor gate_up = ctx->get_saved_variables()[0];
    const auto parts = gate_up.chunk(2, -1);
    at::Tensor result = at::empty_like(gate_up);
    auto results = result.chunk(2, -1);
    at::silu_backward_out(results[0], grads[0] * parts[1], parts[0]);
    at::mul_out(results[1], grads[0], at::silu(parts[0]));
    return {result};
  }
};

}  // namespace

at::Tensor gated_silu(const at::Tensor& gate_up) { return GatedSilu::apply(gate_up); }

}  // namespace outrider::train
