#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "runtime/model/model.h"
#include "train/reference/reference_rows.h"
#include "train/reference/rope.h"

namespace outrider::train {

/// The weights of one decoder layer, [outputs, inputs]; norms are [width]. Biases [outputs] and norms
/// of queries and keys [head_width] are undefined where the model has none.
struct ReferenceLayer {
  at::Tensor attn_norm, q, k, v, o;
  at::Tensor q_bias, k_bias, v_bias, q_norm, k_norm;
  at::Tensor ffn_norm, gate, up, down;
  at::Tensor post_attn_norm, post_ffn_norm;  // likewise
};

/// Intermediate results of a forward pass.
struct ReferenceOutput {
  std::vector<at::Tensor>
      states;             // [layers + 1] of [rows, width]: the embedding, then each layer's output
  at::Tensor final_norm;  // [rows, width]
  at::Tensor logits;      // [rows, vocab]
  std::vector<at::Tensor> attention;  // [layers] of [heads, rows, rows]; empty unless requested
};

/// The target's forward pass, written for readability: one operation after the other, no KV cache, all
/// rows at once. The engine is tested against it; training differentiates through its layers.
class ReferenceModel {
 public:
  /// Dequantises every weight. @param dtype  kFloat, or kDouble for a tighter comparison
  explicit ReferenceModel(const model::Model& model, at::ScalarType dtype);

  const model::ModelConfig& config() const { return config_; }

  ReferenceOutput forward(const ReferenceRows& rows, bool keep_attention = false) const;

  /// [rows] int64 -> [rows, width]
  at::Tensor embed(const at::Tensor& tokens) const;
  /// The angles of layer `l`. @param positions  [rows] int64
  RopeTable rope(const at::Tensor& positions, int l) const;
  /// The attention mask of layer `l`: `rows.visible` restricted to the layer's window, [rows, rows] bool
  at::Tensor visible(int l, const ReferenceRows& rows) const;
  /// Decoder layer `l`, counted from 1: [rows, width] -> [rows, width].
  /// @param visible    [rows, rows] bool
  /// @param attention  if given, is set to the attention weights [heads, rows, rows]
  at::Tensor layer(int l, const at::Tensor& x, const RopeTable& rope, const at::Tensor& visible,
                   at::Tensor* attention = nullptr) const;
  /// [rows, width] -> [rows, width]
  at::Tensor final_norm(const at::Tensor& x) const;
  /// The head, on states after the final norm: [rows, width] -> [rows, vocab]
  at::Tensor logits(const at::Tensor& normed) const;

 private:
  at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const;
  /// [rows, width] of attention or feed-forward as they are added to the residual stream.
  at::Tensor added(const at::Tensor& x, const at::Tensor& norm_weight) const;
  at::Tensor attend(const ReferenceLayer& weights, const at::Tensor& x, const RopeTable& rope,
                    const at::Tensor& visible, at::Tensor* attention) const;
  /// [rows, width] -> [heads, rows, head_width], normalised and rotated.
  at::Tensor rotated_heads(const at::Tensor& x, int heads, const at::Tensor& norm_weight,
                           const RopeTable& rope) const;
  at::Tensor feed_forward(const ReferenceLayer& weights, const at::Tensor& x) const;

  model::ModelConfig config_;
  at::ScalarType dtype_;
  at::Tensor embedding_;  // [vocab, width]
  at::Tensor head_;       // [vocab, width]
  at::Tensor final_norm_;
  std::vector<ReferenceLayer> layers_;
};

}  // namespace outrider::train
