#include "runtime/model/gguf/load_gguf.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/assemble_weights.h"
#include "runtime/model/gguf/gguf_metadata.h"
#include "runtime/model/gguf/gguf_tensor_names.h"

namespace outrider::model {
namespace {

NamedWeights named_weights(const GgufFile& file) {
  NamedWeights weights;
  for (const GgufTensor& tensor : file.tensors()) {
    // Experts are the third dimension.
    if (tensor.dimensions > (tensor.name.ends_with("_exps.weight") ? 3 : 2)) {
      throw InputError(fmt::format("{}: tensor '{}' has {} dimensions (expected 1 or 2)",
                                   file.name(), tensor.name, tensor.dimensions));
    }
    Weight weight;
    weight.name = tensor.name;
    weight.type = tensor.type;
    weight.rows = tensor.shape[1] * tensor.shape[2];
    weight.columns = tensor.shape[0];
    weight.bytes = tensor.bytes;
    weights.emplace(weight.name, std::move(weight));
  }
  return weights;
}

/// Removes and returns a tensor of divisors of rotary frequencies; empty if there is none.
std::vector<float> take_divisors(const char* name, const std::string& file, int rotary_width,
                                 NamedWeights& weights) {
  const auto found = weights.find(name);
  if (found == weights.end()) return {};
  const Weight& weight = found->second;
  if (weight.rows != 1 || weight.columns != rotary_width / 2) {
    throw InputError(fmt::format("{}: tensor '{}' has shape [{}, {}] (expected [1, {}])", file,
                                 name, weight.rows, weight.columns, rotary_width / 2));
  }
  std::vector<float> divisors(static_cast<std::size_t>(weight.columns));
  weight.read_row(0, divisors.data());
  for (const float divisor : divisors) {
    if (!(divisor >= 1e-3f && divisor <= 1e6f)) {
      throw InputError(
          fmt::format("{}: tensor '{}' holds {} (expected numbers from 0.001 to 1,000,000)", file,
                      name, divisor));
    }
  }
  weights.erase(found);
  return divisors;
}

/// Llama 3's divisors, or LongRoPE's: those of the original context, to which the context is then limited, and those beyond
/// it, which extend_context takes.
void take_rope_divisors(const GgufMetadata& metadata, NamedWeights& weights, ModelConfig& config) {
  const auto take = [&](const char* name) {
    return take_divisors(name, metadata.file().name(), config.rotary_width, weights);
  };
  if (auto divisors = take("rope_freqs.weight"); !divisors.empty())
    config.rope_divisors = std::move(divisors);
  if (auto divisors = take("rope_factors_short.weight"); !divisors.empty()) {
    config.rope_divisors = std::move(divisors);
    auto beyond = take("rope_factors_long.weight");
    const auto original = metadata.required_integer(
        config.architecture + ".rope.scaling.original_context_length", 1, limits::kContext);
    if (config.context <= original) return;
    config.long_context = beyond.empty() ? 0 : config.context;
    config.long_rope_divisors = std::move(beyond);
    config.context = static_cast<int>(original);
  }
}

/// Refuses files that are not one complete model.
void check_kind(const GgufMetadata& metadata) {
  if (const auto type = metadata.text("general.type"); type && *type != "model") {
    metadata.fail("general.type", fmt::format("'{}'", *type), "'model'");
  }
  const int parts = metadata.file().parts();
  if (metadata.integer("split.count", 0, INT64_MAX).value_or(1) > parts) {
    metadata.fail("split.count", "more than 1: the model is split over several files",
                  "all of them, or one file; merge them first");
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
  take_rope_divisors(metadata, weights, model.config);
  assemble_weights(std::move(weights),
                   *gguf_tensor_names(model.config.architecture, model.config.experts > 0),
                   file.name(), model);
  return model;
}

}  // namespace outrider::model
