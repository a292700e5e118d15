#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "runtime/draft/parallel/parallel_model.h"
#include "train/batches/head_rows.h"
#include "train/modules/precision.h"
#include "train/optimiser/parameter.h"
#include "train/parallel/group_batch.h"
#include "train/parallel/parallel_shape.h"

namespace outrider::train {

/// What drafters of a shape have in common: groups of slots, whose outputs the target's head reads. The head's
/// rows of some tokens are frozen.
class GroupDrafter {
 public:
  /// @param head_tokens  ascending
  /// @param dtype        kFloat, or kDouble for tests
  /// @throws InputError for tokens that the target lacks
  GroupDrafter(const model::Model& target, const ParallelShape& shape,
               std::vector<Token> head_tokens, at::ScalarType dtype);
  virtual ~GroupDrafter() = default;

  const ParallelShape& shape() const { return shape_; }
  const std::vector<Token>& head_tokens() const { return head_tokens_; }
  const HeadRows& head_rows() const { return head_rows_; }
  const at::Tensor& head() const { return head_; }  // [head_tokens, width], frozen

  /// What is trained: of a fixed order.
  virtual std::vector<Parameter> parameters() const = 0;
  /// What the head is applied to: [groups, slots, width].
  virtual at::Tensor outputs(const GroupBatch& batch, Precision precision) const = 0;

  /// Takes over the trained weights of a drafter of the same target and shape; the head may have other
  /// tokens. Where one of the two has no masks, those of the other stay as they are.
  /// @throws InputError for one of another shape
  virtual void start_from(const draft::ParallelModel& served) = 0;
  /// The drafter as the runtime takes it, in f32. @param target  the one it was made from
  virtual draft::ParallelModel model(const model::Model& target) const = 0;

 protected:
  /// What `model` gives before any trained weight is added.
  draft::ParallelModel untrained_model(const model::Model& target,
                                       const model::ModelConfig& config) const;

 private:
  ParallelShape shape_;
  std::vector<Token> head_tokens_;
  HeadRows head_rows_;
  at::Tensor head_;
};

}  // namespace outrider::train
