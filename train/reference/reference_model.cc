#include "train/reference/reference_model.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "runtime/base/error.h"
#include "train/reference/load_weight.h"

namespace outrider::train {
namespace {

ReferenceLayer load(const model::LayerWeights& weights, at::ScalarType dtype) {
  return {.attn_norm = load_vector(weights.attn_norm, dtype),
          .q = load_matrix(weights.q, dtype),
          .k = load_matrix(weights.k, dtype),
          .v = load_matrix(weights.v, dtype),
          .o = load_matrix(weights.o, dtype),
          .q_bias = load_vector(weights.q_bias, dtype),
          .k_bias = load_vector(weights.k_bias, dtype),
          .v_bias = load_vector(weights.v_bias, dtype),
          .q_norm = load_vector(weights.q_norm, dtype),
          .k_norm = load_vector(weights.k_norm, dtype),
          .ffn_norm = load_vector(weights.ffn_norm, dtype),
          .gate = load_matrix(weights.gate, dtype),
          .up = load_matrix(weights.up, dtype),
          .down = load_matrix(weights.down, dtype),
          .post_attn_norm = load_vector(weights.post_attn_norm, dtype),
          .post_ffn_norm = load_vector(weights.post_ffn_norm, dtype)};
}

/// @param cap  0: none
at::Tensor softly_bounded(const at::Tensor& x, float cap) {
  return cap == 0 ? x : cap * at::tanh(x / cap);
}

// [rows, heads * head_width] -> [heads, rows, head_width]
at::Tensor split_heads(const at::Tensor& x, int heads) {
  return x.view({x.size(0), heads, -1}).transpose(0, 1);
}

}  // namespace

ReferenceModel::ReferenceModel(const model::Model& model, at::ScalarType dtype)
    : config_(model.config),
      dtype_(dtype),
      embedding_(load_embedding(model, dtype)),
      head_(load_matrix(model.head, dtype)),
      final_norm_(load_vector(model.final_norm, dtype)) {
  if (config_.norm != model::Norm::kRms || !model::is_gated(config_.activation) ||
      config_.positions != model::Positions::kRotary || config_.experts > 0)
    throw InputError(
        fmt::format("{}: the reference does not know the {} architecture; expected one with RMS "
                    "norms, a gated feed-forward step without experts and rotary positions",
                    model.path.string(), config_.architecture));
  for (const model::LayerWeights& weights : model.layers) layers_.push_back(load(weights, dtype));
}

ReferenceOutput ReferenceModel::forward(const ReferenceRows& rows, bool keep_attention) const {
  ReferenceOutput out;
  out.states.push_back(embed(rows.tokens));
  for (int l = 1; l <= config_.layers; ++l) {
    at::Tensor attention;
    out.states.push_back(
        layer(l, out.states.back(), rope(rows.positions, l), visible(l, rows), &attention));
    if (keep_attention) out.attention.push_back(attention);
  }
  out.final_norm = final_norm(out.states.back());
  out.logits = logits(out.final_norm);
  return out;
}

at::Tensor ReferenceModel::embed(const at::Tensor& tokens) const {
  return embedding_.index_select(0, tokens);
}

RopeTable ReferenceModel::rope(const at::Tensor& positions, int l) const {
  const auto index = static_cast<std::size_t>(l - 1);
  model::ModelConfig config = config_;
  if (!config_.rotates.empty() && !config_.rotates.at(index)) config.rotary_width = 0;
  if (config_.window_rope_base > 0 && !config_.windows.empty() && config_.windows.at(index) > 0) {
    config.rope_base = config_.window_rope_base;
    config.rope_divisors.clear();
    config.rope_scale = 1;
  }
  if (config.rotary_width == 0) config.rope_divisors.clear();
  return rope_table(positions, config, dtype_);
}

at::Tensor ReferenceModel::visible(int l, const ReferenceRows& rows) const {
  const int window =
      config_.windows.empty() ? 0 : config_.windows.at(static_cast<std::size_t>(l - 1));
  if (window == 0) return rows.visible;
  const at::Tensor distance = rows.positions.unsqueeze(1) - rows.positions.unsqueeze(0);
  return rows.visible.logical_and(distance < window);
}

at::Tensor ReferenceModel::layer(int l, const at::Tensor& x, const RopeTable& rope,
                                 const at::Tensor& visible, at::Tensor* attention) const {
  const ReferenceLayer& weights = layers_.at(static_cast<std::size_t>(l - 1));
  const at::Tensor h =
      x + added(attend(weights, norm(x, weights.attn_norm), rope, visible, attention),
                weights.post_attn_norm);
  return h + added(feed_forward(weights, norm(h, weights.ffn_norm)), weights.post_ffn_norm);
}

at::Tensor ReferenceModel::added(const at::Tensor& x, const at::Tensor& norm_weight) const {
  return (norm_weight.defined() ? norm(x, norm_weight) : x) * config_.residual_scale;
}

at::Tensor ReferenceModel::final_norm(const at::Tensor& x) const { return norm(x, final_norm_); }

at::Tensor ReferenceModel::logits(const at::Tensor& normed) const {
  return softly_bounded(at::linear(normed, head_) / config_.logit_divisor, config_.logit_cap);
}

at::Tensor ReferenceModel::norm(const at::Tensor& x, const at::Tensor& weight) const {
  const at::Tensor mean_square = (x * x).mean(-1, /*keepdim=*/true);
  return weight * (x * at::rsqrt(mean_square + static_cast<double>(config_.norm_epsilon)));
}

at::Tensor ReferenceModel::rotated_heads(const at::Tensor& x, int heads,
                                         const at::Tensor& norm_weight,
                                         const RopeTable& rope) const {
  const at::Tensor split = split_heads(x, heads);
  return rotate(norm_weight.defined() ? norm(split, norm_weight) : split, rope);
}

at::Tensor ReferenceModel::attend(const ReferenceLayer& weights, const at::Tensor& x,
                                  const RopeTable& rope, const at::Tensor& visible,
                                  at::Tensor* attention) const {
  const at::Tensor q =
      rotated_heads(at::linear(x, weights.q, weights.q_bias), config_.heads, weights.q_norm, rope);
  at::Tensor k = rotated_heads(at::linear(x, weights.k, weights.k_bias), config_.kv_heads,
                               weights.k_norm, rope);
  at::Tensor v = split_heads(at::linear(x, weights.v, weights.v_bias), config_.kv_heads);
  // Each key and value head serves a group of neighbouring query heads.
  k = k.repeat_interleave(config_.heads / config_.kv_heads, 0);
  v = v.repeat_interleave(config_.heads / config_.kv_heads, 0);

  const double scale = config_.attention_scale > 0 ? static_cast<double>(config_.attention_scale)
                                                   : 1 / std::sqrt(config_.head_width);
  at::Tensor scores =
      softly_bounded(at::matmul(q, k.transpose(1, 2)) * scale, config_.attention_cap);
  scores = scores.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
  const at::Tensor shares = at::softmax(scores, -1);  // [heads, rows, rows]
  if (attention != nullptr) *attention = shares;
  return at::linear(at::matmul(shares, v).transpose(0, 1).flatten(1), weights.o);
}

at::Tensor ReferenceModel::feed_forward(const ReferenceLayer& weights, const at::Tensor& x) const {
  const at::Tensor gate = at::linear(x, weights.gate);
  const at::Tensor activated =
      config_.activation == model::Activation::kGatedGelu ? at::gelu(gate, "tanh") : at::silu(gate);
  return at::linear(activated * at::linear(x, weights.up), weights.down);
}

}  // namespace outrider::train
