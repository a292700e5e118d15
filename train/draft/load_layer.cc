#include "train/draft/load_layer.h"

#include <ATen/ATen.h>

#include "train/reference/load_weight.h"

namespace outrider::train {

DraftLayer load_layer(const model::LayerWeights& weights, at::ScalarType dtype) {
  const auto both = [&](const model::Weight& a, const model::Weight& b) {
    return at::cat({load_matrix(a, dtype), load_matrix(b, dtype)});
  };
  return {.attn_norm = load_vector(weights.attn_norm, dtype),
          .q = load_matrix(weights.q, dtype),
          .kv = both(weights.k, weights.v),
          .o = load_matrix(weights.o, dtype),
          .ffn_norm = load_vector(weights.ffn_norm, dtype),
          .gate_up = both(weights.gate, weights.up),
          .down = load_matrix(weights.down, dtype)};
}

}  // namespace outrider::train
