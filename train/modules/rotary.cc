#include "train/modules/rotary.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Rotary : torch::autograd::Function<Rotary> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& cos,
                            const at::Tensor& sin) {
    ctx->save_for_backward({cos, sin});
    return rotate(x, {cos, sin}).to(x.scalar_type());
  }

  // The transpose of a rotation is the rotation back.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor grad = rotate(grads[0], {saved[0], -saved[1]}).to(grads[0].scalar_type());
    return {grad, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor rotary(const at::Tensor& x, std::int64_t heads, const RopeTable& rope) {
  return Rotary::apply(x.view({x.size(0), heads, -1}), rope.cos.unsqueeze(1),
                       rope.sin.unsqueeze(1));
}

}  // namespace outrider::train
