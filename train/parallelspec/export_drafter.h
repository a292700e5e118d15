#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "train/draft/draft_layer.h"
#include "train/parallelspec/group_drafter.h"
#include "train/parallelspec/group_layer.h"

namespace outrider::train {

/// The drafter of the EAGLE flavour in the shape that vLLM loads (P-EAGLE); the runtime does not serve it. Let a_j be
/// the target's states at x_j after three layers (ExportShape), one after the other, and E the target's embedding,
/// which is frozen. Rows are
///
///   real rows (slot j), j = 1 … n   a_{j-1}, x_j
///   masks i = 1 … K                 mask_hidden, the mask's token
///
/// at positions and with outputs as draft::ParallelSpecModel has them for EAGLE. A row of a and x begins as h = fc a; its
/// queries, keys and values are made of [norm E(x) ; norm h], each with a norm of its own. Else it is a
/// layer of a Llama, then the final norm, then the head, which is trained.
class ExportDrafter : public GroupDrafter {
 public:
  /// Begins as the target's last layer on the states of the last of the three, with the target's norms and head;
  /// nothing is made of E(x) yet, and mask_hidden is zero: see fit_masks.
  /// @param shape        with `exported`, as check_export_shape wants it
  /// @param head_tokens  ascending
  /// @param tensors      the device, and kFloat, or kDouble for tests
  /// @throws InputError as draft_config, and for tokens that the target lacks
  ExportDrafter(const model::Model& target, const ParallelSpecShape& shape,
                std::vector<Token> head_tokens, const at::TensorOptions& tensors);

  const model::ModelConfig& config() const { return config_; }
  const at::Tensor& fc() const { return fc_; }                          // [width, 3 * width]
  const at::Tensor& embedding_norm() const { return embedding_norm_; }  // [width]
  /// Its q and kv have 2 * width inputs, and its attn_norm is that of h.
  const DraftLayer& layer() const { return layer_; }
  const at::Tensor& final_norm() const { return final_norm_; }    // [width]
  const at::Tensor& mask_hidden() const { return mask_hidden_; }  // [1, 3 * width]

  std::vector<Parameter> parameters() const override;
  at::Tensor outputs(const GroupBatch& batch, Precision precision) const override;
  void average_masks(const GroupBatch& batch) override;

 private:
  /// @param states  [rows, 3 * width]
  /// @param tokens  [rows] int64
  LayerRows rows(const at::Tensor& states, const at::Tensor& tokens, Precision precision) const;
  double epsilon() const { return static_cast<double>(config_.norm_epsilon); }

  model::ModelConfig config_;  // of its one layer
  at::Tensor embedding_;       // [vocab, width], frozen
  at::Tensor fc_, embedding_norm_;
  DraftLayer layer_;
  at::Tensor final_norm_, mask_hidden_;
};

}  // namespace outrider::train
