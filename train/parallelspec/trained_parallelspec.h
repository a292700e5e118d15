#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "train/draft/draft_layer.h"
#include "train/parallelspec/group_layer.h"
#include "train/parallelspec/served_drafter.h"

namespace outrider::train {

/// ParallelSpec's drafter (Xiao et al. 2024): one layer of the target's shape, and masks, or without masks
/// EAGLE's, which learns the token after each real row, all of which read the target's states. The target's
/// embedding is frozen.
class ParallelSpecDrafter : public ServedDrafter {
 public:
  /// Begins as the target's last layer, with the target's final norm. fc passes on the state, and masks are
  /// zero: see fit_parallelspec.
  /// @param head_tokens  ascending
  /// @param has_norm     whether a final norm comes before the head
  /// @param tensors      the device, and kFloat, or kDouble for tests
  /// @throws InputError as draft_config, and for tokens that the target lacks
  ParallelSpecDrafter(const model::Model& target, const ParallelSpecShape& shape,
                      std::vector<Token> head_tokens, bool has_norm,
                      const at::TensorOptions& tensors);

  const model::ModelConfig& config() const { return config_; }
  const at::Tensor& embedding() const { return embedding_; }    // [vocab, width], frozen
  const at::Tensor& final_norm() const { return final_norm_; }  // undefined: none
  DraftLayer& layer() { return layer_; }
  at::Tensor& fc() { return fc_; }  // [width, 2 * width], of inputs(); undefined: none

  std::vector<Parameter> parameters() const override;

  /// What real rows read: [rows, 2 * width] for EAGLE, the state first, else [rows, width]. A pair's state and embedding
  /// are divided by their units, powers of two near their root mean squares; masks and fc are trained in these units. A
  /// target's states can be 300 times the size of its embeddings, and AdamW's steps do not depend on a weight's size.
  at::Tensor inputs(const GroupBatch& batch, Precision precision) const;
  GroupStream stream_parts(const GroupBatch& batch, Precision precision) const;
  at::Tensor outputs(const GroupBatch& batch, Precision precision) const override;
  void average_masks(const GroupBatch& batch) override;

  void start_from(const draft::ParallelSpecModel& served) override;
  draft::ParallelSpecModel model(const model::Model& target) const override;

 private:
  /// The first state of the residual stream: [rows, width].
  at::Tensor begin(const at::Tensor& inputs, Precision precision) const;

  /// fc of the states and embeddings as they are, [width, 2 * width].
  at::Tensor served_fc() const;

  model::ModelConfig config_;  // of its one layer
  at::Tensor embedding_;
  DraftLayer layer_;
  at::Tensor final_norm_, fc_;
  at::Tensor mask_embeddings_;  // [trained masks, width]: none for EAGLE-AR
  at::Tensor mask_features_;    // likewise; undefined: none
  double state_unit_ = 1, embedding_unit_ = 1;
};

}  // namespace outrider::train
