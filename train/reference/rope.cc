#include "train/reference/rope.h"

#include <ATen/ATen.h>

namespace outrider::train {

RopeTable rope_table(const at::Tensor& positions, const model::ModelConfig& config,
                     at::ScalarType dtype) {
  const at::Tensor exponents =
      at::arange(0, config.rotary_width, 2, positions.options().dtype(at::kFloat)) /
      config.rotary_width;
  at::Tensor inverse_frequencies =
      at::reciprocal(at::pow(static_cast<double>(config.rope_base), exponents));
  if (!config.rope_divisors.empty())
    inverse_frequencies /= at::tensor(config.rope_divisors).to(positions.device());
  const at::Tensor half = at::outer(positions.to(at::kFloat), inverse_frequencies);
  const at::Tensor angles = at::cat({half, half}, -1);
  const double scale = config.rope_scale;
  return {(at::cos(angles) * scale).to(dtype), (at::sin(angles) * scale).to(dtype)};
}

at::Tensor rotate(const at::Tensor& x, const RopeTable& rope) {
  const std::int64_t width = rope.cos.size(-1);
  const at::Tensor part = x.narrow(-1, 0, width);
  const auto halves = part.chunk(2, -1);
  const at::Tensor turned = at::cat({-halves[1], halves[0]}, -1);
  const at::Tensor rest = x.narrow(-1, width, x.size(-1) - width);
  return at::cat({part * rope.cos + turned * rope.sin, rest}, -1);
}

}  // namespace outrider::train
