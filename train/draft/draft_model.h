#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <vector>

#include "runtime/model/model.h"
#include "train/batches/packed_batch.h"
#include "train/draft/draft_layer.h"
#include "train/modules/precision.h"
#include "train/optimiser/parameter.h"
#include "train/reference/rope.h"

namespace outrider::train {

/// A shallow Llama made of a target's layers. The target's embedding, and its head's rows of some tokens,
/// are frozen; between the final norm and the head is a square matrix, so that the trained states need not
/// resemble the target's. Served, the head is the product of both (`model`): a plain Llama.
class DraftModel {
 public:
  /// @param layers       of the target to begin with, counted from 1, in the draft's order
  /// @param head_tokens  ascending
  /// @param tensors      the device, and kFloat, or kDouble for tests
  /// @throws InputError for layers or tokens that the target lacks, and for architectures other than with
  ///         RMS norms, gated feed-forward steps and rotary positions. Biases, windows, and norms of queries
  ///         and keys are not taken over.
  DraftModel(const model::Model& target, std::span<const int> layers,
             std::vector<Token> head_tokens, const at::TensorOptions& tensors);

  const model::ModelConfig& config() const { return config_; }
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  const HeadRows& head_rows() const { return head_rows_; }
  const at::Tensor& head() const { return head_; }  // [head_tokens, width], frozen
  const std::vector<DraftLayer>& layers() const { return layers_; }
  std::vector<DraftLayer>& layers() { return layers_; }
  at::Tensor& map() { return map_; }  // [width, width]

  /// What is trained: of a fixed order.
  std::vector<Parameter> parameters() const;

  /// States of the queries after the final norm: [queries, width].
  at::Tensor normed(const PackedBatch& batch, Precision precision) const;
  /// The map on them: what the head is applied to.
  at::Tensor mapped(const PackedBatch& batch, Precision precision) const;

  /// The draft as the runtime takes it, in f32, with a trimmed head. @param target  the one it was made from
  model::Model model(const model::Model& target) const;
  /// The inverse: takes over the weights of a served draft of the same target. The map is the one whose
  /// product with the target's head rows is the nearest to the served head.
  /// @throws InputError for head tokens that this draft lacks, or another shape
  void start_from(const model::Model& served);

 private:
  at::Tensor layer(const DraftLayer& weights, const at::Tensor& x, const PackedBatch& batch,
                   const RopeTable& rope, bool queries_only, Precision precision) const;

  model::ModelConfig config_;  // the draft's
  std::vector<Token> head_tokens_;
  HeadRows head_rows_;
  at::Tensor embedding_;  // [vocab, width], frozen
  at::Tensor head_;
  std::vector<DraftLayer> layers_;
  at::Tensor final_norm_;
  at::Tensor map_;
};

}  // namespace outrider::train
