#include "train/draft/draft_model.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include "train/modules/gated_silu.h"
#include "train/modules/linear.h"
#include "train/modules/rms_norm.h"
#include "train/modules/rotary.h"
#include "train/modules/text_attention.h"
#include "train/reference/load_weight.h"

namespace outrider::train {
DraftModel::DraftModel(const model::Model& target, std::span<const int> layers,
                       std::vector<Token> head_tokens, const at::TensorOptions& tensors)
    : config_(draft_config(target, layers)),
      head_tokens_(std::move(head_tokens)),
      head_rows_(head_tokens_, config_.vocab),
      embedding_(load_embedding(target, tensors)),
      head_(load_head(target, head_tokens_, tensors)),
      final_norm_(load_vector(target.final_norm, tensors)),
      map_(at::eye(config_.width, tensors)) {
  for (const int layer : layers)
    layers_.push_back(load_layer(target.layers.at(static_cast<std::size_t>(layer - 1)),
                                 target.config.used_experts, tensors));
  for (const Parameter& parameter : parameters()) parameter.value.set_requires_grad(true);
}

std::vector<Parameter> DraftModel::parameters() const {
  std::vector<Parameter> all;
  for (std::size_t i = 0; i < layers_.size(); ++i)
    add_parameters(layers_[i], fmt::format("layers.{}.", i), all);
  all.push_back({"final_norm", final_norm_, false});
  all.push_back({"map", map_, true});
  return all;
}

at::Tensor DraftModel::layer(const DraftLayer& weights, const at::Tensor& x,
                             const PackedBatch& batch, const RopeTable& rope, bool queries_only,
                             Precision precision) const {
  const double epsilon = static_cast<double>(config_.norm_epsilon);
  const auto of_queries = [&](const at::Tensor& rows) {
    return queries_only ? rows.index_select(0, batch.queries) : rows;
  };
  const at::Tensor normed = rms_norm(x, weights.attn_norm, epsilon);
  const auto kv = linear(normed, weights.kv, precision).chunk(2, -1);
  const at::Tensor keys = rotary(kv[0], config_.kv_heads, rope);
  const at::Tensor values = kv[1].view({x.size(0), config_.kv_heads, -1});
  const at::Tensor queries = rotary(linear(of_queries(normed), weights.q, precision), config_.heads,
                                    {of_queries(rope.cos), of_queries(rope.sin)});
  const at::Tensor attended =
      attention(queries, keys, values, queries_only ? batch.queried : batch.all);
  const at::Tensor h = of_queries(x) + linear(attended, weights.o, precision);
  const at::Tensor gates =
      linear(rms_norm(h, weights.ffn_norm, epsilon), weights.gate_up, precision);
  return h + linear(gated_silu(gates), weights.down, precision);
}

at::Tensor DraftModel::normed(const PackedBatch& batch, Precision precision) const {
  const RopeTable rope = rope_table(batch.positions, config_, embedding_.scalar_type());
  at::Tensor x = embedding_.index_select(0, batch.tokens);
  // After the last layer only the queries are needed: of other rows it computes keys and values alone.
  for (std::size_t i = 0; i < layers_.size(); ++i)
    x = layer(layers_[i], x, batch, rope, i + 1 == layers_.size(), precision);
  return rms_norm(x, final_norm_, static_cast<double>(config_.norm_epsilon));
}

at::Tensor DraftModel::mapped(const PackedBatch& batch, Precision precision) const {
  return linear(normed(batch, precision), map_, precision);
}

}  // namespace outrider::train
