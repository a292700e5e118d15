#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "runtime/draft/parallel/parallel_model.h"
#include "train/batches/head_rows.h"
#include "train/draft/draft_layer.h"
#include "train/modules/precision.h"
#include "train/parallel/group_batch.h"
#include "train/parallel/parallel_shape.h"

namespace outrider::train {

/// ParallelSpec's drafter (Xiao et al. 2024): one layer of the target's shape, and masks, or without masks
/// EAGLE's, which learns the token after each real row, all of which read the target's states. The target's
/// embedding, and its head's rows of some tokens, are frozen.
class ParallelDrafter {
 public:
  /// Begins as the target's last layer, with the target's final norm. fc passes on the state, and masks are
  /// zero: see fit_parallel.
  /// @param head_tokens  ascending
  /// @param has_norm     whether a final norm comes before the head
  /// @param dtype        kFloat, or kDouble for tests
  /// @throws InputError as draft_config, and for tokens that the target lacks
  ParallelDrafter(const model::Model& target, const ParallelShape& shape,
                  std::vector<Token> head_tokens, bool has_norm, at::ScalarType dtype);

  const model::ModelConfig& config() const { return config_; }
  const ParallelShape& shape() const { return shape_; }
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  const HeadRows& head_rows() const { return head_rows_; }
  const at::Tensor& embedding() const { return embedding_; }    // [vocab, width], frozen
  const at::Tensor& head() const { return head_; }              // [head_tokens, width], frozen
  const at::Tensor& final_norm() const { return final_norm_; }  // undefined: none
  DraftLayer& layer() { return layer_; }
  at::Tensor& fc() { return fc_; }                            // [width, 2 * width]; undefined: none
  at::Tensor& mask_embeddings() { return mask_embeddings_; }  // [masks, width], none for EAGLE-AR
  at::Tensor& mask_features() { return mask_features_; }      // likewise; undefined: none

  /// What is trained: of a fixed order.
  std::vector<Parameter> parameters() const;

  /// What real rows read: [rows, 2 * width] for EAGLE, the state first, else [rows, width].
  at::Tensor inputs(const GroupBatch& batch, Precision precision) const;
  /// What the residual stream of the groups' rows is the sum of, each [groups * slots, width].
  struct Stream {
    at::Tensor begun, attention, feed_forward;
  };
  Stream stream_parts(const GroupBatch& batch, Precision precision) const;
  /// What the head is applied to: [groups, slots, width].
  at::Tensor outputs(const GroupBatch& batch, Precision precision) const;

  /// Takes over the trained weights of a drafter of the same target and shape; the head may have other
  /// tokens.
  /// @throws InputError for one of another shape
  void start_from(const draft::ParallelModel& served);

  /// As the runtime takes it, in f32. @param target  the one it was made from
  draft::ParallelModel model(const model::Model& target) const;

 private:
  /// The first state of the residual stream: [rows, width].
  at::Tensor begin(const at::Tensor& inputs, Precision precision) const;
  /// @param normed_masks  undefined: none
  at::Tensor attended(const GroupBatch& batch, const at::Tensor& normed,
                      const at::Tensor& normed_masks, Precision precision) const;

  model::ModelConfig config_;  // of its one layer
  ParallelShape shape_;
  std::vector<Token> head_tokens_;
  HeadRows head_rows_;
  at::Tensor embedding_, head_;
  DraftLayer layer_;
  at::Tensor final_norm_, fc_, mask_embeddings_, mask_features_;
};

}  // namespace outrider::train
