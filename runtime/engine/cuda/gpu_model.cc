#include <algorithm>
#include <iterator>
#include <string>

#include "runtime/engine/cuda/cuda_engine.h"

namespace outrider::engine::cuda {

namespace {

/// The first matrix of a type that has no product there, or null.
const model::Weight* first_without_product(const model::Model& model) {
  const auto lacks = [](const model::Weight& weight) {
    return weight.type == model::WeightType::kQ2_K || weight.type == model::WeightType::kIQ4_XS ||
           weight.type == model::WeightType::kMXFP4;
  };
  for (const model::LayerWeights& layer : model.layers)
    for (const model::Weight* weight :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      if (lacks(*weight)) return weight;
  return lacks(model.head) ? &model.head : nullptr;
}

}  // namespace

std::string lacking_on_gpu(const model::Model& model) {
  const model::ModelConfig& config = model.config;
  const bool post_norms =
      std::any_of(model.layers.begin(), model.layers.end(), [](const model::LayerWeights& layer) {
        return layer.post_attn_norm.rows > 0 || layer.post_ffn_norm.rows > 0;
      });
  const bool sinks =
      std::any_of(model.layers.begin(), model.layers.end(),
                  [](const model::LayerWeights& layer) { return layer.sinks.rows > 0; });
  const struct {
    bool needed;
    const char* what;
  } features[] = {
      {config.experts > 0, "experts"},
      {sinks, "attention sinks"},
      {config.activation == model::Activation::kGatedClamped, "a clamped feed-forward step"},
      {post_norms, "norms after attention and feed-forward"},
      {config.activation == model::Activation::kGatedGelu, "a feed-forward step gated by GELU"},
      {config.window_rope_base > 0, "rotary positions of two bases"},
      {!config.rotates.empty(), "layers without positions"},
      {config.residual_scale != 1, "scaled layers"},
      {config.attention_scale > 0, "another scale of attention scores"},
      {config.attention_cap > 0, "a soft bound of attention scores"},
      {config.logit_divisor != 1, "scaled logits"},
      {config.logit_cap > 0, "a soft bound of logits"},
  };
  if (const model::Weight* weight = first_without_product(model))
    return std::string("weights of type ") + model::type_name(weight->type);
  const auto* const first = std::find_if(std::begin(features), std::end(features),
                                         [](const auto& feature) { return feature.needed; });
  return first == std::end(features) ? "" : first->what;
}

}  // namespace outrider::engine::cuda
