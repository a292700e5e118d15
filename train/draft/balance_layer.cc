#include "train/draft/balance_layer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

#include "train/modules/size.h"

namespace outrider::train {
namespace {

/// The size of a matrix's weights beside that of usual initialisation, 1 / sqrt(inputs).
double relative_size(const at::Tensor& matrix) {
  return root_mean_square(matrix) * std::sqrt(static_cast<double>(matrix.size(1)));
}

/// Divides a matrix, and multiplies the one that reads its outputs, so that their relative sizes are alike.
void balance(const at::Tensor& first, const at::Tensor& second) {
  const double factor = power_of_two_near(std::sqrt(relative_size(first) / relative_size(second)));
  first.div_(factor);
  second.mul_(factor);
}

/// Gives a norm's weights a size of about 1, and what reads the normed rows the factor.
void balance_norm(const at::Tensor& norm, const std::vector<at::Tensor>& readers) {
  const double factor = power_of_two_near(root_mean_square(norm));
  norm.div_(factor);
  for (const at::Tensor& reader : readers) reader.mul_(factor);
}

}  // namespace

void balance_layer(DraftLayer& layer) {
  balance_norm(layer.attn_norm, {layer.q, layer.kv});
  balance_norm(layer.ffn_norm, {layer.gate_up});
  balance(layer.kv.chunk(2)[1], layer.o);
  balance(layer.gate_up.chunk(2)[1], layer.down);
}

}  // namespace outrider::train
