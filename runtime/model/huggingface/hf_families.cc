#include "runtime/model/huggingface/hf_families.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace outrider::model {
namespace {

constexpr std::string_view kGemmaKeys[] = {"hidden_activation",       "attn_logit_softcapping",
                                           "final_logit_softcapping", "query_pre_attn_scalar",
                                           "rope_local_base_freq",    "sliding_window_pattern",
                                           "_sliding_window_pattern", "cache_implementation"};
constexpr std::string_view kGraniteKeys[] = {"embedding_multiplier", "attention_multiplier",
                                             "residual_multiplier", "logits_scaling"};
constexpr std::string_view kSmolLm3Keys[] = {"no_rope_layers", "no_rope_layer_interval"};

constexpr std::string_view kExpertKeys[] = {
    "num_local_experts",   "num_experts",     "num_experts_per_tok", "norm_topk_prob",
    "decoder_sparse_step", "mlp_only_layers", "router_jitter_noise", "moe_intermediate_size"};
constexpr std::string_view kGptOssKeys[] = {"num_local_experts", "num_experts_per_tok",
                                            "experts_per_token", "swiglu_alpha",
                                            "swiglu_limit",      "initial_context_length"};

bool has_experts(std::string_view model_type) {
  return model_type == "mixtral" || model_type == "qwen3_moe";
}

void read_gpt_oss(const JsonObject& file, ModelConfig& shape) {
  shape.experts =
      static_cast<int>(file.integer("num_local_experts", 1, limits::kExperts).value_or(128));
  shape.used_experts =
      static_cast<int>(file.integer("num_experts_per_tok", 1, shape.experts).value_or(4));
  file.integer("experts_per_token", shape.used_experts, shape.used_experts);
  shape.activation = Activation::kGatedClamped;
  shape.gate_sharpness = static_cast<float>(file.number("swiglu_alpha", 1e-3, 1e3).value_or(1.702));
  shape.gate_limit = static_cast<float>(file.number("swiglu_limit", 1e-3, 1e6).value_or(7));
}

/// Mixtral and Qwen 3 have experts in every layer; other layers are refused.
void read_experts(const JsonObject& file, ModelConfig& shape) {
  const bool qwen = shape.architecture == "qwen3_moe";
  // Older files of Qwen's have a name of their own.
  const char* const key = file.find("num_experts") != nullptr ? "num_experts" : "num_local_experts";
  shape.experts = static_cast<int>(file.integer(key, 1, limits::kExperts).value_or(qwen ? 128 : 8));
  shape.used_experts = static_cast<int>(
      file.integer("num_experts_per_tok", 1, shape.experts).value_or(qwen ? 8 : 2));
  if (!qwen) return;
  shape.ffn_width =
      static_cast<int>(file.required_integer("moe_intermediate_size", 1, limits::kWidth));
  shape.experts_sum_to_one = file.flag("norm_topk_prob").value_or(false);
  file.integer("decoder_sparse_step", 1, 1);
  if (!file.integers("mlp_only_layers", 0, limits::kLayers).empty())
    file.fail("mlp_only_layers", "a list of layers", "an empty one: experts in every layer");
}

void read_gemma(const JsonObject& file, ModelConfig& shape) {
  // Older files have another name of it in hidden_act, which transformers does not read.
  constexpr const char* kKey = "hidden_activation";
  if (const auto name = file.text(kKey); name && *name != "gelu_pytorch_tanh")
    file.fail(kKey, fmt::format("'{}'", *name), "'gelu_pytorch_tanh'");
  shape.activation = Activation::kGatedGelu;
  shape.embedding_scale = std::sqrt(static_cast<float>(shape.width));
  const double divisor = file.number("query_pre_attn_scalar", 1e-3, 1e6).value_or(256);
  if (divisor != shape.head_width)
    shape.attention_scale = static_cast<float>(1 / std::sqrt(divisor));
  const bool second = shape.architecture == "gemma2";
  // A null is no bound, a missing key the type's own.
  const auto bound = [&](const char* key, double absent) {
    const auto value = file.number(key, 1e-3, 1e6);
    return static_cast<float>(value ? *value : file.has(key) || !second ? 0 : absent);
  };
  shape.attention_cap = bound("attn_logit_softcapping", 50);
  shape.logit_cap = bound("final_logit_softcapping", 30);
}

void read_granite(const JsonObject& file, ModelConfig& shape) {
  const auto factor = [&](const char* key) {
    return static_cast<float>(file.number(key, 1e-6, 1e6).value_or(1));
  };
  shape.embedding_scale = factor("embedding_multiplier");
  shape.attention_scale = factor("attention_multiplier");
  shape.residual_scale = factor("residual_multiplier");
  shape.logit_divisor = factor("logits_scaling");
}

/// The key's name is the opposite of what it holds: 1 for a layer that rotates.
void read_smollm3(const JsonObject& file, ModelConfig& shape) {
  constexpr const char* kKey = "no_rope_layers";
  const auto interval = file.integer("no_rope_layer_interval", 1, limits::kLayers).value_or(4);
  const std::vector<std::int64_t> stated = file.integers(kKey, 0, 1);
  if (!stated.empty() && std::ssize(stated) != shape.layers)
    file.fail(kKey, fmt::format("a list of {}", stated.size()),
              fmt::format("one of {}, the number of layers", shape.layers));
  for (int layer = 0; layer < shape.layers; ++layer)
    shape.rotates.push_back(stated.empty() ? (layer + 1) % interval != 0
                                           : stated[static_cast<std::size_t>(layer)] == 1);
}

void add_one(Weight& norm, Model& model) {
  if (norm.rows == 0) return;
  std::vector<float> numbers(static_cast<std::size_t>(norm.columns));
  norm.read_row(0, numbers.data());
  for (float& number : numbers) number += 1;
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  norm.type = WeightType::kF32;
  norm.bytes = model.keep(std::move(bytes));
}

}  // namespace

bool is_gemma(std::string_view model_type) {
  return model_type == "gemma2" || model_type == "gemma3_text";
}

std::span<const std::string_view> hf_family_keys(std::string_view model_type) {
  if (is_gemma(model_type)) return kGemmaKeys;
  if (model_type == "granite") return kGraniteKeys;
  if (has_experts(model_type)) return kExpertKeys;
  if (model_type == "gpt_oss") return kGptOssKeys;
  if (model_type == "smollm3") return kSmolLm3Keys;
  return {};
}

void read_hf_family(const JsonObject& file, ModelConfig& shape) {
  if (is_gemma(shape.architecture)) read_gemma(file, shape);
  if (shape.architecture == "granite") read_granite(file, shape);
  if (shape.architecture == "smollm3") read_smollm3(file, shape);
  if (has_experts(shape.architecture)) read_experts(file, shape);
  if (shape.architecture == "gpt_oss") read_gpt_oss(file, shape);
}

bool has_mxfp4_experts(const JsonObject& file) {
  const auto quantised = file.object("quantization_config");
  return quantised && file.required_text("model_type") == "gpt_oss" &&
         quantised->text("quant_method").value_or("") == "mxfp4";
}

void complete_norms(Model& model) {
  if (!is_gemma(model.config.architecture)) return;
  add_one(model.final_norm, model);
  for (LayerWeights& layer : model.layers)
    for (Weight* norm : {&layer.attn_norm, &layer.post_attn_norm, &layer.ffn_norm,
                         &layer.post_ffn_norm, &layer.q_norm, &layer.k_norm})
      add_one(*norm, model);
}

}  // namespace outrider::model
