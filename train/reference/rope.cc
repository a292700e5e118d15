#include "train/reference/rope.h"

#include <ATen/ATen.h>

namespace outrider::train {

RopeTable rope_table(const at::Tensor& positions, int head_width, double base,
                     at::ScalarType dtype) {
  const at::Tensor exponents = at::arange(0, head_width, 2, at::kFloat) / head_width;
  const at::Tensor inverse_frequencies = at::reciprocal(at::pow(base, exponents));
  const at::Tensor half = at::outer(positions.to(at::kFloat), inverse_frequencies);
  const at::Tensor angles = at::cat({half, half}, -1);
  return {at::cos(angles).to(dtype), at::sin(angles).to(dtype)};
}

at::Tensor rotate(const at::Tensor& x, const RopeTable& rope) {
  const auto halves = x.chunk(2, -1);
  const at::Tensor turned = at::cat({-halves[1], halves[0]}, -1);
  return x * rope.cos + turned * rope.sin;
}

}  // namespace outrider::train
