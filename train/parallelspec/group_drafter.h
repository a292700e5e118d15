#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "runtime/model/model.h"
#include "train/batches/head_rows.h"
#include "train/modules/precision.h"
#include "train/optimiser/parameter.h"
#include "train/parallelspec/group_batch.h"
#include "train/parallelspec/parallelspec_shape.h"

namespace outrider::train {

/// What drafters of a shape have in common: groups of slots, whose outputs a head reads: the target's rows of some
/// tokens, frozen unless the drafter trains them.
class GroupDrafter {
 public:
  /// @param head_tokens  ascending
  /// @param tensors      the device, and kFloat, or kDouble for tests
  /// @throws InputError for tokens that the target lacks
  GroupDrafter(const model::Model& target, const ParallelSpecShape& shape,
               std::vector<Token> head_tokens, const at::TensorOptions& tensors);
  virtual ~GroupDrafter() = default;

  const ParallelSpecShape& shape() const { return shape_; }
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  const HeadRows& head_rows() const { return head_rows_; }
  const at::Tensor& head() const { return head_; }  // [head_tokens, width]

  /// What is trained: of a fixed order.
  virtual std::vector<Parameter> parameters() const = 0;
  /// What the head is applied to: [groups, slots, width].
  virtual at::Tensor outputs(const GroupBatch& batch, Precision precision) const = 0;

  /// Masks begin with the mean of what real rows read. Without gradients.
  virtual void average_masks(const GroupBatch&) {}

 private:
  ParallelSpecShape shape_;
  std::vector<Token> head_tokens_;
  HeadRows head_rows_;
  at::Tensor head_;
};

}  // namespace outrider::train
