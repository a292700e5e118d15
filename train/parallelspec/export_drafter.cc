#include "train/parallelspec/export_drafter.h"

#include <ATen/ATen.h>

#include <array>
#include <utility>

#include "train/modules/linear.h"
#include "train/modules/rms_norm.h"
#include "train/reference/load_weight.h"

namespace outrider::train {
namespace {

/// The matrix on the second half of an input of twice the width.
at::Tensor on_second_half(const at::Tensor& w) { return at::cat({at::zeros_like(w), w}, 1); }

}  // namespace

ExportDrafter::ExportDrafter(const model::Model& target, const ParallelSpecShape& shape,
                             std::vector<Token> head_tokens, const at::TensorOptions& tensors)
    : GroupDrafter(target, shape, std::move(head_tokens), tensors),
      config_(draft_config(target, std::array{target.config.layers})),
      embedding_(load_embedding(target, tensors)),
      embedding_norm_(load_vector(target.layers.front().attn_norm, tensors)),
      layer_(load_layer(target.layers.back(), target.config.used_experts, tensors)),
      final_norm_(load_vector(target.final_norm, tensors)) {
  keep_units(shape.feed_forward, config_, layer_);
  const std::int64_t states = std::ssize(shape.exported.value().layers) * config_.width;
  fc_ = at::cat({at::zeros({config_.width, states - config_.width}, tensors),
                 at::eye(config_.width, tensors)},
                1);
  layer_.q = on_second_half(layer_.q);
  layer_.kv = on_second_half(layer_.kv);
  mask_hidden_ = at::zeros({1, states}, tensors);
  for (const Parameter& parameter : parameters()) parameter.value.set_requires_grad(true);
}

std::vector<Parameter> ExportDrafter::parameters() const {
  std::vector<Parameter> all = {{"fc", fc_, true}, {"embedding_norm", embedding_norm_, false}};
  add_parameters(layer_, "layer.", all);
  all.push_back({"final_norm", final_norm_, false});
  all.push_back({"head", head(), true});
  all.push_back({"mask_hidden", mask_hidden_, false});
  return all;
}

LayerRows ExportDrafter::rows(const at::Tensor& states, const at::Tensor& tokens,
                              Precision precision) const {
  const at::ScalarType type = embedding_.scalar_type();
  const at::Tensor begun =
      linear(precision == Precision::kBf16 ? states : states.to(type), fc_, precision).to(type);
  const at::Tensor embedded = embedding_.index_select(0, tokens);
  return {begun, at::cat({rms_norm(embedded, embedding_norm_, epsilon()),
                          rms_norm(begun, layer_.attn_norm, epsilon())},
                         1)};
}

at::Tensor ExportDrafter::outputs(const GroupBatch& batch, Precision precision) const {
  const at::Tensor token =
      at::full({1}, std::int64_t{shape().exported->mask_token}, batch.tokens.options());
  const LayerRows mask = rows(mask_hidden_, token, precision);
  const auto for_each_mask = [&](const at::Tensor& x) {
    return x.expand({shape().masks, -1}).contiguous();
  };
  const GroupStream stream =
      group_layer(layer_, config_, batch, rows(batch.states, batch.tokens, precision),
                  {for_each_mask(mask.begun), for_each_mask(mask.normed)}, precision);
  return rms_norm(stream.sum(), final_norm_, epsilon()).view({-1, shape().slots(), config_.width});
}

void ExportDrafter::average_masks(const GroupBatch& batch) {
  const at::Tensor own = batch.real_rows.narrow(0, 0, std::ssize(batch.groups));
  mask_hidden_.copy_(batch.states.index_select(0, own).mean(0, /*keepdim=*/true, at::kDouble));
}

}  // namespace outrider::train
