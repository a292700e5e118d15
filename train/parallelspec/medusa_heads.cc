#include "train/parallelspec/medusa_heads.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <utility>

#include "runtime/draft/parallelspec/head_config.h"
#include "train/draft/draft_layer.h"
#include "train/modules/linear.h"
#include "train/reference/load_weight.h"

namespace outrider::train {

MedusaHeads::MedusaHeads(const model::Model& target, const ParallelSpecShape& shape,
                         std::vector<Token> head_tokens, const at::TensorOptions& tensors)
    : ServedDrafter(target, shape, std::move(head_tokens), tensors),
      residual_(at::zeros({std::int64_t{shape.slots()} * target.config.width, target.config.width},
                          tensors)) {
  residual_.set_requires_grad(true);
}

at::Tensor MedusaHeads::outputs(const GroupBatch& batch, Precision precision) const {
  const at::ScalarType type = residual_.scalar_type();
  const at::Tensor states = batch.states.index_select(0, batch.real_rows).to(type);
  const at::Tensor products = linear(states, residual_, precision).to(type);
  return states.unsqueeze(1) + at::silu(products).view({-1, shape().slots(), residual_.size(1)});
}

void MedusaHeads::start_from(const draft::ParallelSpecModel& served) {
  const at::NoGradGuard no_gradients;
  take_values(residual_, load_matrix(served.residual.head, residual_.options()), served.layer.path,
              "residual");
}

draft::ParallelSpecModel MedusaHeads::model(const model::Model& target) const {
  const int width = target.config.width;
  draft::ParallelSpecModel served =
      untrained_model(target, draft::head_config(width, target.config.vocab));
  served.residual.path = target.path;
  served.residual.config = draft::head_config(width, /*vocab=*/0);
  served.residual.head = kept_weight("residual", residual_, served.residual);
  return served;
}

}  // namespace outrider::train
