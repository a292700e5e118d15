#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "train/parallelspec/served_drafter.h"

namespace outrider::train {

/// Medusa's heads (Cai et al. 2024), that the paper compares its Medusa flavour with: slot i of a group is
/// f + SiLU(W_i f), where f is the state of the group's real row.
class MedusaHeads : public ServedDrafter {
 public:
  /// All W_i are 0, so that each head begins as the target's own on f.
  MedusaHeads(const model::Model& target, const ParallelSpecShape& shape,
              std::vector<Token> head_tokens, const at::TensorOptions& tensors);

  std::vector<Parameter> parameters() const override { return {{"residual", residual_, true}}; }
  at::Tensor outputs(const GroupBatch& batch, Precision precision) const override;
  void start_from(const draft::ParallelSpecModel& served) override;
  draft::ParallelSpecModel model(const model::Model& target) const override;

 private:
  at::Tensor residual_;  // [slots * width, width]: W_i one below the other
};

}  // namespace outrider::train
