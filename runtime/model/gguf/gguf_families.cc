#include "runtime/model/gguf/gguf_families.h"

#include <cmath>
#include <string>

namespace outrider::model {
namespace {

constexpr std::string_view kGemma2Keys[] = {"attn_logit_softcapping", "final_logit_softcapping"};
constexpr std::string_view kGemma3Keys[] = {"final_logit_softcapping", "rope.freq_base_swa"};
constexpr std::string_view kGraniteKeys[] = {"attention.scale", "embedding_scale", "residual_scale",
                                             "logit_scale"};

constexpr std::string_view kExpertKeys[] = {"expert_count", "expert_used_count",
                                            "expert_feed_forward_length"};

constexpr int kSmolLm3Unrotated = 4;  // every so many layers one does not rotate

/// The file has no key for the factor of Gemma's scores. It is that of the head's width, except in the models of
/// 27 billion weights, which are told by their number of layers.
void set_gemma_scale(int layers_of_27b, ModelConfig& config) {
  if (config.layers != layers_of_27b) return;
  config.attention_scale =
      1 / std::sqrt(static_cast<float>(config.width) / static_cast<float>(config.heads));
}

void read_gemma(const GgufMetadata& metadata, ModelConfig& config) {
  const std::string prefix = config.architecture + ".";
  const auto bound = [&](const char* key, float absent) {
    return static_cast<float>(metadata.number(prefix + key, 0, 1e6).value_or(absent));
  };
  const bool second = config.architecture == "gemma2";
  config.activation = Activation::kGatedGelu;
  config.embedding_scale = std::sqrt(static_cast<float>(config.width));
  config.logit_cap = bound("final_logit_softcapping", second ? 30 : 0);
  if (second) {
    config.attention_cap = bound("attn_logit_softcapping", 50);
    set_gemma_scale(46, config);
    return;
  }
  set_gemma_scale(62, config);
  config.window_rope_base =
      static_cast<float>(metadata.number(prefix + "rope.freq_base_swa", 1, 1e12).value_or(10000));
}

void read_granite(const GgufMetadata& metadata, ModelConfig& config) {
  const auto factor = [&](const char* key, double absent) {
    return static_cast<float>(
        metadata.number("granite." + std::string(key), 0, 1e6).value_or(absent));
  };
  config.embedding_scale = factor("embedding_scale", 1);
  config.residual_scale = factor("residual_scale", 1);
  config.attention_scale = factor("attention.scale", 0);
  const float divisor = factor("logit_scale", 1);
  config.logit_divisor = divisor == 0 ? 1 : divisor;
}

/// Mixtral's files are of the llama architecture.
bool may_have_experts(std::string_view architecture) {
  return architecture == "llama" || architecture == "qwen3moe" || architecture == "gpt-oss";
}

void read_experts(const GgufMetadata& metadata, ModelConfig& config) {
  const std::string prefix = config.architecture + ".";
  const bool required = config.architecture != "llama";
  config.experts = static_cast<int>(
      metadata.integer(prefix + "expert_count", required ? 1 : 0, limits::kExperts).value_or(0));
  if (required && config.experts == 0) metadata.fail_absent(prefix + "expert_count");
  const std::string used = prefix + "expert_used_count";
  if (config.experts == 0) {
    metadata.integer(used, 0, 0);
    return;
  }
  config.used_experts = static_cast<int>(metadata.required_integer(used, 1, config.experts));
  config.ffn_width =
      static_cast<int>(metadata.integer(prefix + "expert_feed_forward_length", 1, limits::kWidth)
                           .value_or(config.ffn_width));
}

/// The file has no keys for the activation.
void set_gpt_oss(ModelConfig& config) {
  config.activation = Activation::kGatedClamped;
  config.gate_sharpness = 1.702f;
  config.gate_limit = 7;
}

void set_smollm3(ModelConfig& config) {
  for (int layer = 1; layer <= config.layers; ++layer)
    config.rotates.push_back(layer % kSmolLm3Unrotated != 0);
}

}  // namespace

std::span<const std::string_view> gguf_family_keys(std::string_view architecture) {
  if (architecture == "gemma2") return kGemma2Keys;
  if (architecture == "gemma3") return kGemma3Keys;
  if (architecture == "granite") return kGraniteKeys;
  if (may_have_experts(architecture)) return kExpertKeys;
  return {};
}

int gguf_window_pattern(std::string_view architecture) {
  if (architecture == "gemma2" || architecture == "gpt-oss") return 2;
  return architecture == "gemma3" ? 6 : 0;
}

void read_gguf_family(const GgufMetadata& metadata, ModelConfig& config) {
  if (config.architecture == "gemma2" || config.architecture == "gemma3")
    read_gemma(metadata, config);
  if (config.architecture == "granite") read_granite(metadata, config);
  if (config.architecture == "smollm3") set_smollm3(config);
  if (config.architecture == "gpt-oss") set_gpt_oss(config);
  if (may_have_experts(config.architecture)) read_experts(metadata, config);
}

}  // namespace outrider::model
