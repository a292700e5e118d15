#include "train/parallelspec/export_shape.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

// The width of fc and of the masks' state in vLLM is fixed to so many.
constexpr std::size_t kStateLayers = 3;

Token default_mask(const text::TokenizerSpec& tokenizer) {
  const auto unused =
      std::find(tokenizer.kinds.begin(), tokenizer.kinds.end(), text::TokenKind::kUnused);
  if (unused != tokenizer.kinds.end())
    return static_cast<Token>(std::distance(tokenizer.kinds.begin(), unused));
  return tokenizer.end_tokens.empty() ? 0 : tokenizer.end_tokens.front();
}

}  // namespace

ExportShape default_export_shape(const model::Model& target) {
  const int layers = target.config.layers;
  return {{2, layers / 2, layers - 3}, default_mask(target.tokenizer)};
}

void check_export_shape(const ExportShape& shape, const model::Model& target) {
  const model::ModelConfig& config = target.config;
  // vLLM takes states on entering a layer, and so none after the last.
  const bool ascending = std::adjacent_find(shape.layers.begin(), shape.layers.end(),
                                            std::greater_equal<>()) == shape.layers.end();
  if (shape.layers.size() != kStateLayers || !ascending || shape.layers.front() < 1 ||
      shape.layers.back() >= config.layers)
    throw InputError(
        fmt::format("--state-layers: expected {} layers in ascending order from 1 to {}, as the "
                    "target has {}; found {}",
                    kStateLayers, config.layers - 1, config.layers, fmt::join(shape.layers, ", ")));
  if (shape.mask_token < 0 || shape.mask_token >= config.vocab)
    throw InputError(fmt::format("--mask-token: expected one of the target's {} tokens, found {}",
                                 config.vocab, shape.mask_token));
  if (config.embedding_scale != 1)
    throw InputError(
        fmt::format("--export-shape vllm: expected a target whose embeddings vLLM reads as they "
                    "are; those of {} are scaled",
                    target.path.string()));
  if (!config.rope_divisors.empty() || config.rope_scale != 1 ||
      config.rotary_width != config.head_width)
    throw InputError(
        fmt::format("--export-shape vllm: expected a target with plain rotary positions of whole "
                    "heads; those of {} have divisors, a factor or a part of each head",
                    target.path.string()));
}

}  // namespace outrider::train
