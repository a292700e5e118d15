#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/model/extra_key.h"
#include "runtime/model/gguf/gguf_extra_keys.h"
#include "runtime/model/gguf/gguf_families.h"
#include "runtime/model/gguf/gguf_metadata.h"
#include "runtime/model/gguf/gguf_tensor_names.h"
#include "runtime/model/gguf/load_gguf.h"
#include "runtime/model/yarn.h"

namespace outrider::model {
namespace {

constexpr int kGemma2Window = 4096;         // of files without the key
constexpr double kDefaultRopeBase = 10000;  // of the llama architecture, for files without the key

/// The keys that are read, without the architecture's prefix.
constexpr std::array<std::string_view, 22> kKnownKeys = {
    "block_count",
    "context_length",
    "embedding_length",
    "feed_forward_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.layer_norm_rms_epsilon",
    "attention.layer_norm_epsilon",
    "attention.sliding_window",
    "attention.sliding_window_pattern",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.scaling.type",
    "rope.scaling.factor",
    "rope.scaling.attn_factor",
    "rope.scaling.original_context_length",
    "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow",
    "vocab_size",
};

/// The options implied by the architecture's name. Starcoder's activation is taken to be of the tanh form,
/// as in llama.cpp; the files do not specify it.
void set_options(const GgufMetadata& metadata, ModelConfig& config) {
  const bool bloom = config.architecture == "bloom";
  if (!bloom && config.architecture != "starcoder") return;
  config.norm = Norm::kLayer;
  config.activation = Activation::kGeluTanh;
  config.positions = bloom ? Positions::kAlibi : Positions::kLearned;
  for (const auto& [key, value] : metadata.file().metadata()) {
    if (key.starts_with(config.architecture + ".rope."))
      metadata.fail(key, "given", "none: this architecture has no rotary positions");
  }
}

float norm_epsilon(const GgufMetadata& metadata, const std::string& prefix, Norm norm) {
  const std::string mean_square = prefix + "attention.layer_norm_rms_epsilon";
  const std::string variance = prefix + "attention.layer_norm_epsilon";
  const bool rms = norm == Norm::kRms;
  if (const std::string& other = rms ? variance : mean_square; metadata.file().find(other)) {
    metadata.fail(other, "given", "none: this architecture has another kind of norm");
  }
  const auto epsilon = metadata.number(rms ? mean_square : variance, 0, 1);
  if (!epsilon) metadata.fail_absent(rms ? mean_square : variance);
  return static_cast<float>(*epsilon);
}

/// Linear scaling, or YaRN's, whose ramp has no key: gpt-oss was trained with one between indices; those of Llama 3 and LongRoPE are tensors. `rope_base` and `rotary_width` are set.
void read_rope_scaling(const GgufMetadata& metadata, const std::string& prefix,
                       ModelConfig& config) {
  const std::string scaling = prefix + "rope.scaling.";
  const auto number = [&](const char* key, double low, double high) {
    return metadata.number(scaling + key, low, high);
  };
  const std::string type = metadata.text(scaling + "type").value_or("none");
  const bool scales = type == "linear" || type == "yarn";
  if (!scales && type != "none")
    metadata.fail(scaling + "type", fmt::format("'{}'", type), "'none', 'linear' or 'yarn'");
  config.rope_scale = static_cast<float>(number("attn_factor", 1e-3, 1e3).value_or(1));
  const auto factor = number("factor", 1, scales ? 1e6 : 1);
  if (!scales) return;
  if (!factor) metadata.fail_absent(scaling + "factor");
  if (type == "linear") {
    config.rope_divisors.assign(static_cast<std::size_t>(config.rotary_width / 2),
                                static_cast<float>(*factor));
    return;
  }
  const auto original = metadata.integer(scaling + "original_context_length", 2, limits::kContext)
                            .value_or(config.context);
  const Yarn yarn{.factor = *factor,
                  .original_context = static_cast<double>(original),
                  .beta_fast = number("yarn_beta_fast", 1e-3, 1e6).value_or(32),
                  .beta_slow = number("yarn_beta_slow", 1e-3, 1e6).value_or(1),
                  .truncate = config.architecture != "gpt-oss"};
  config.context = std::max(config.context, yarn_context(yarn));
  config.rope_divisors =
      yarn_divisors(yarn, static_cast<double>(config.rope_base), config.rotary_width);
  config.rope_scale *=
      static_cast<float>(yarn_scale(*factor) * number("yarn_attn_factor", 1e-3, 1e3).value_or(1));
}

/// A head count; an array of them, one per layer, must be uniform.
std::int64_t head_count(const GgufMetadata& metadata, const std::string& key) {
  const GgufValue* value = metadata.file().find(key);
  if (value == nullptr || !std::holds_alternative<GgufArray>(*value)) {
    return metadata.required_integer(key, 1, limits::kHeads);
  }
  const auto counts = *metadata.integers(key);
  for (const std::int64_t count : counts) {
    if (count != counts.front()) {
      metadata.fail(key, fmt::format("{} in one layer and {} in another", counts.front(), count),
                    "the same in every layer");
    }
  }
  if (counts.empty() || counts.front() < 1 || counts.front() > limits::kHeads) {
    metadata.fail(key, "empty or out of range", fmt::format("from 1 to {}", limits::kHeads));
  }
  return counts.front();
}

std::int64_t head_width(const GgufMetadata& metadata, const std::string& prefix,
                        const ModelConfig& config) {
  auto width = metadata.integer(prefix + "attention.key_length", 2, limits::kHeadWidth);
  if (!width) {
    if (config.width % config.heads != 0) {
      metadata.fail(prefix + "attention.head_count", std::to_string(config.heads),
                    fmt::format("a divisor of the width {}", config.width));
    }
    width = config.width / config.heads;
  }
  if (*width % 2 != 0 || *width > limits::kHeadWidth) {
    metadata.fail(prefix + "attention.head_count", fmt::format("giving heads of width {}", *width),
                  fmt::format("an even width of at most {}", limits::kHeadWidth));
  }
  metadata.integer(prefix + "attention.value_length", *width, *width);
  return *width;
}

/// How many numbers of a head are rotated. Partial rotation of heads stored as neighbouring pairs is
/// refused: their order would differ.
std::int64_t rotary_width(const GgufMetadata& metadata, const std::string& prefix,
                          const ModelConfig& config) {
  const std::string key = prefix + "rope.dimension_count";
  const bool whole = gguf_tensor_names(config.architecture)->heads == RowOrder::kNeighbours;
  const auto width = metadata.integer(key, whole ? config.head_width : 2, config.head_width)
                         .value_or(config.head_width);
  if (width % 2 != 0) metadata.fail(key, std::to_string(width), "an even number");
  return width;
}

void read_rope(const GgufMetadata& metadata, const std::string& prefix, ModelConfig& config) {
  config.rope_base = static_cast<float>(
      metadata.number(prefix + "rope.freq_base", 1, 1e12).value_or(kDefaultRopeBase));
  config.rotary_width = static_cast<int>(rotary_width(metadata, prefix, config));
  read_rope_scaling(metadata, prefix, config);
}

/// @returns as ModelConfig::windows
std::vector<int> windows(const GgufMetadata& metadata, const ModelConfig& config) {
  const std::string prefix = config.architecture + ".";
  const std::string pattern_key = prefix + "attention.sliding_window_pattern";
  const int layers = config.layers;
  const auto window =
      static_cast<int>(metadata.integer(prefix + "attention.sliding_window", 0, limits::kContext)
                           .value_or(config.architecture == "gemma2" ? kGemma2Window : 0));
  if (window == 0) return {};
  std::vector<int> windows(static_cast<std::size_t>(layers), window);
  const GgufValue* stated = metadata.file().find(pattern_key);
  const int usual = gguf_window_pattern(config.architecture);
  if (usual > 0 && (stated == nullptr || !std::holds_alternative<GgufArray>(*stated))) {
    const auto every =
        static_cast<std::size_t>(metadata.integer(pattern_key, 1, limits::kLayers).value_or(usual));
    for (std::size_t layer = every; layer <= windows.size(); layer += every) windows[layer - 1] = 0;
    return windows;
  }
  const auto pattern = metadata.flags(pattern_key);
  if (!pattern) return windows;
  if (pattern->size() != windows.size())
    metadata.fail(pattern_key, fmt::format("an array of {}", pattern->size()),
                  fmt::format("one of {}, the number of layers", layers));
  for (std::size_t layer = 0; layer < windows.size(); ++layer)
    if (!(*pattern)[layer]) windows[layer] = 0;
  return windows;
}

}  // namespace

ModelConfig read_gguf_config(const GgufFile& file) {
  const GgufMetadata metadata(file);
  ModelConfig config;
  config.architecture = metadata.required_text("general.architecture");
  if (gguf_tensor_names(config.architecture) == nullptr) {
    metadata.fail("general.architecture", named_architecture(config.architecture),
                  "'bloom', 'gemma2', 'gemma3', 'gpt-oss', 'granite', 'llama', 'phi3', 'qwen2', "
                  "'qwen3', 'qwen3moe', 'smollm3' or 'starcoder'");
  }
  const std::string prefix = config.architecture + ".";
  std::vector<std::string_view> known(kKnownKeys.begin(), kKnownKeys.end());
  const auto own = gguf_family_keys(config.architecture);
  known.insert(known.end(), own.begin(), own.end());
  refuse_other_keys(file, prefix, known);
  set_options(metadata, config);

  const auto size = [&](const char* key, std::int64_t high) {
    return static_cast<int>(metadata.required_integer(prefix + key, 1, high));
  };
  config.layers = size("block_count", limits::kLayers);
  config.width = size("embedding_length", limits::kWidth);
  config.ffn_width = size("feed_forward_length", limits::kWidth);
  config.context = size("context_length", limits::kContext);
  config.heads = static_cast<int>(head_count(metadata, prefix + "attention.head_count"));
  const std::string kv_key = prefix + "attention.head_count_kv";
  config.kv_heads =
      file.find(kv_key) ? static_cast<int>(head_count(metadata, kv_key)) : config.heads;
  if (config.heads % config.kv_heads != 0) {
    metadata.fail(kv_key, std::to_string(config.kv_heads),
                  fmt::format("a divisor of the {} query heads", config.heads));
  }
  config.head_width = static_cast<int>(head_width(metadata, prefix, config));
  const auto tokens = metadata.texts("tokenizer.ggml.tokens");
  const auto token_count = tokens ? static_cast<std::int64_t>(tokens->size()) : 0;
  config.vocab = static_cast<int>(
      metadata.integer(prefix + "vocab_size", 1, limits::kVocab).value_or(token_count));
  config.windows = windows(metadata, config);
  if (config.positions == Positions::kRotary) read_rope(metadata, prefix, config);
  config.norm_epsilon = norm_epsilon(metadata, prefix, config.norm);
  read_gguf_family(metadata, config);
  return config;
}

}  // namespace outrider::model
