#include "runtime/model/huggingface/hf_config.h"

#include <fmt/core.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/extra_key.h"
#include "runtime/model/huggingface/hf_config_parts.h"
#include "runtime/model/huggingface/hf_extra_keys.h"
#include "runtime/model/huggingface/hf_families.h"
#include "runtime/model/huggingface/hf_tensor_names.h"

namespace outrider::model {
namespace {

/// Keys that are used or checked.
constexpr std::string_view kKnownKeys[] = {"model_type",
                                           "hidden_size",
                                           "intermediate_size",
                                           "num_hidden_layers",
                                           "num_attention_heads",
                                           "num_key_value_heads",
                                           "head_dim",
                                           "max_position_embeddings",
                                           "rms_norm_eps",
                                           "rope_theta",
                                           "rope_scaling",
                                           "rope_parameters",
                                           "rope_interleaved",
                                           "tie_word_embeddings",
                                           "hidden_act",
                                           "attention_bias",
                                           "mlp_bias",
                                           "vocab_size",
                                           "eos_token_id",
                                           "sliding_window",
                                           "pretraining_tp",
                                           "quantization_config",
                                           "use_sliding_window",
                                           "layer_types",
                                           "max_window_layers",
                                           "lm_head_bias",
                                           "partial_rotary_factor",
                                           "original_max_position_embeddings",
                                           "full_attn_mod",
                                           "interpolate_factor"};

void refuse_extras(const JsonObject& file, std::string_view type) {
  const bool has_biases = type == "gpt_oss";
  if (const auto act = file.text("hidden_act");
      act && !is_gemma(type) && *act != "silu" && *act != "swish")
    file.fail("hidden_act", fmt::format("'{}'", *act), "'silu', or its other name 'swish'");
  constexpr const char* kAttention = "attention_bias";
  for (const char* key : {kAttention, "mlp_bias", "lm_head_bias"})
    if (file.flag(key).value_or(false) && !(key == kAttention && has_biases))
      file.fail(key, "true", "false: biases are not supported");
  if (has_biases && !file.flag(kAttention).value_or(true))
    file.fail(kAttention, "false", "true: this type has biases");
  for (const char* key : {"pretraining_tp", "full_attn_mod", "interpolate_factor"})
    file.integer(key, 1, 1);
}

/// Reads the shape from a config.json of a model type built like llama.
void read_llama_shape(const JsonObject& file, ModelConfig& shape) {
  std::vector<std::string_view> known(std::begin(kKnownKeys), std::end(kKnownKeys));
  const auto own = hf_family_keys(shape.architecture);
  known.insert(known.end(), own.begin(), own.end());
  refuse_other_keys(file, known);
  refuse_extras(file, shape.architecture);
  const auto size = [&](const char* key, std::int64_t high) {
    return static_cast<int>(file.required_integer(key, 1, high));
  };
  shape.layers = size("num_hidden_layers", limits::kLayers);
  shape.width = size("hidden_size", limits::kWidth);
  shape.ffn_width = size("intermediate_size", limits::kWidth);
  shape.heads = size("num_attention_heads", limits::kHeads);
  shape.kv_heads = static_cast<int>(
      file.integer("num_key_value_heads", 1, limits::kHeads).value_or(shape.heads));
  if (shape.heads % shape.kv_heads != 0)
    file.fail("num_key_value_heads", std::to_string(shape.kv_heads),
              fmt::format("a divisor of the {} query heads", shape.heads));
  shape.head_width = static_cast<int>(
      file.integer("head_dim", 2, limits::kHeadWidth).value_or(shape.width / shape.heads));
  if (file.find("head_dim") == nullptr && shape.width % shape.heads != 0)
    file.fail("num_attention_heads", std::to_string(shape.heads),
              fmt::format("a divisor of the width {}", shape.width));
  if (shape.head_width < 2 || shape.head_width % 2 != 0)
    file.fail("num_attention_heads", fmt::format("giving heads of width {}", shape.head_width),
              "an even width");
  shape.context = size("max_position_embeddings", limits::kContext);
  read_windows(file, shape);
  read_rope(file, shape);
  file.required("rms_norm_eps");
  shape.norm_epsilon = static_cast<float>(*file.number("rms_norm_eps", 0, 1));
  read_hf_family(file, shape);
}

}  // namespace

HfConfig read_hf_config(const JsonObject& file) {
  HfConfig config;
  ModelConfig& shape = config.shape;
  shape.architecture = file.required_text("model_type");
  if (hf_tensor_names(shape.architecture) == nullptr)
    file.fail("model_type", named_architecture(shape.architecture),
              "'bloom', 'gemma2', 'gemma3_text', 'gpt_bigcode', 'gpt_oss', 'granite', 'llama', "
              "'mistral', 'mixtral', 'opt', 'phi3', 'qwen2', 'qwen3', 'qwen3_moe' or 'smollm3'");
  if (file.find("quantization_config") != nullptr && !has_mxfp4_experts(file))
    file.fail("quantization_config", "given",
              "none: use the folder of the unquantised model, or a GGUF file");
  const bool older = is_older_type(shape.architecture);
  (older ? read_older_shape : read_llama_shape)(file, shape);
  shape.vocab = static_cast<int>(file.required_integer("vocab_size", 1, limits::kVocab));
  config.tied =
      file.flag("tie_word_embeddings")
          .value_or(older || is_gemma(shape.architecture) || shape.architecture == "smollm3");
  for (const std::int64_t token : file.integers("eos_token_id", 0, shape.vocab - 1))
    config.end_tokens.push_back(static_cast<Token>(token));
  return config;
}

}  // namespace outrider::model
