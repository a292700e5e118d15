#include "runtime/model/load_gguf.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/base/error.h"
#include "runtime/model/architecture.h"
#include "runtime/model/assemble_weights.h"
#include "runtime/model/gguf_metadata.h"

namespace outrider::model {
namespace {

NamedWeights named_weights(const GgufFile& file) {
  NamedWeights weights;
  for (const GgufTensor& tensor : file.tensors()) {
    if (tensor.dimensions > 2) {
      throw InputError(fmt::format("{}: tensor '{}' has {} dimensions (expected 1 or 2)",
                                   file.name(), tensor.name, tensor.dimensions));
    }
    Weight weight;
    weight.name = tensor.name;
    weight.type = tensor.type;
    weight.rows = tensor.shape[1];
    weight.columns = tensor.shape[0];
    weight.bytes = tensor.bytes;
    weights.emplace(weight.name, std::move(weight));
  }
  return weights;
}

/// Takes out the tensor with which Llama 3 stretches its rotary frequencies.
void take_rope_divisors(const std::string& file, NamedWeights& weights, ModelConfig& config) {
  const auto found = weights.find("rope_freqs.weight");
  if (found == weights.end()) return;
  const Weight& weight = found->second;
  if (weight.rows != 1 || weight.columns != config.head_width / 2) {
    throw InputError(
        fmt::format("{}: tensor 'rope_freqs.weight' has shape [{}, {}] (expected [1, {}])", file,
                    weight.rows, weight.columns, config.head_width / 2));
  }
  config.rope_divisors.resize(static_cast<std::size_t>(weight.columns));
  weight.read_row(0, config.rope_divisors.data());
  for (const float divisor : config.rope_divisors) {
    if (!(divisor >= 1e-3f && divisor <= 1e6f)) {
      throw InputError(fmt::format(
          "{}: tensor 'rope_freqs.weight' holds {} (expected numbers from 0.001 to 1,000,000)",
          file, divisor));
    }
  }
  weights.erase(found);
}

/// Keys of the file as a whole that would make it something else than one complete model.
void check_kind(const GgufMetadata& metadata) {
  if (const auto type = metadata.text("general.type"); type && *type != "model") {
    metadata.fail("general.type", fmt::format("'{}'", *type), "'model'");
  }
  if (metadata.integer("split.count", 0, INT64_MAX).value_or(1) > 1) {
    metadata.fail("split.count", "more than 1: the model is split over several files",
                  "one file; merge them first");
  }
  // Version 1 had other block layouts under the same type numbers.
  metadata.integer("general.quantization_version", 2, 2);
}

}  // namespace

Model load_gguf(const GgufFile& file) {
  const GgufMetadata metadata(file);
  check_kind(metadata);
  Model model;
  model.name = metadata.text("general.name").value_or("");
  model.config = read_gguf_config(file);
  model.tokenizer = read_gguf_tokenizer(file);
  if (static_cast<std::size_t>(model.config.vocab) != model.tokenizer.tokens.size()) {
    throw InputError(fmt::format("{}: metadata key '{}.vocab_size' is {}, but there are {} tokens",
                                 file.name(), model.config.architecture, model.config.vocab,
                                 model.tokenizer.tokens.size()));
  }
  NamedWeights weights = named_weights(file);
  take_rope_divisors(file.name(), weights, model.config);
  assemble_weights(std::move(weights), *gguf_tensor_names(model.config.architecture), file.name(),
                   model);
  return model;
}

}  // namespace outrider::model
