#include "train/draft/balance_layer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace outrider::train {
namespace {

double root_mean_square(const at::Tensor& x) {
  return x.to(at::kDouble).square().mean().sqrt().item<double>();
}

/// The power of two by which the first of two matrices in a row is divided, and the second multiplied, so that their
/// weights are as long beside each other as those of usual beginnings, 1 / sqrt(inputs).
double balance(const at::Tensor& first, const at::Tensor& second) {
  const auto length = [](const at::Tensor& matrix) {
    return root_mean_square(matrix) * std::sqrt(static_cast<double>(matrix.size(1)));
  };
  const double ratio = length(first) / length(second);
  return ratio > 0 && std::isfinite(ratio) ? std::exp2(std::round(std::log2(ratio) / 2)) : 1;
}

/// Divides the norm's weights by about their size, and multiplies what reads the normed rows by it.
void balance_norm(const at::Tensor& norm, const std::vector<at::Tensor>& readers) {
  const double length = root_mean_square(norm);
  if (!(length > 0)) return;
  const double size = std::exp2(std::round(std::log2(length)));
  norm.div_(size);
  for (const at::Tensor& reader : readers) reader.mul_(size);
}

}  // namespace

void balance_layer(DraftLayer& layer) {
  balance_norm(layer.attn_norm, {layer.q, layer.kv});
  balance_norm(layer.ffn_norm, {layer.gate_up});
  const at::Tensor values = layer.kv.chunk(2)[1], ups = layer.gate_up.chunk(2)[1];
  const double of_values = balance(values, layer.o), of_ups = balance(ups, layer.down);
  values.div_(of_values);
  layer.o.mul_(of_values);
  ups.div_(of_ups);
  layer.down.mul_(of_ups);
}

}  // namespace outrider::train
