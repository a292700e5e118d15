#include "runtime/model/gguf/gguf_extra_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>

#include "runtime/base/error.h"
#include "runtime/model/extra_key.h"

namespace outrider::model {
namespace {

/// Keys that change nothing at any value.
constexpr std::array<std::string_view, 4> kWithoutEffect = {
    "tensor_data_layout",      // says how Q and K were permuted, which the architecture implies
    "rope.scaling.finetuned",  // whether the model was trained with its scaling
    // only with rope.scaling.type 'yarn'
    "rope.scaling.yarn_log_multiplier", "rope.scaling.yarn_ext_factor"};

constexpr std::string_view kLatent = "latent attention";
constexpr std::string_view kRecurrent = "layers with a recurrent state";
constexpr std::string_view kImages = "positions of images and videos";
constexpr std::string_view kMoreTokens = "layers that predict further tokens";
constexpr std::string_view kEmbeddings = "a model of embeddings, which generates no text";

constexpr ExtraKey kExtraKeys[] = {
    {"expert_count", 0, kExperts},
    {"expert_used_count", 0, kExperts},
    {"expert_shared_count", 0, kExperts},
    {"expert_group_count", 0, kExperts},
    {"expert_group_used_count", 0, kExperts},
    {"interleave_moe_layer_step", 0, kExperts},
    {"expert_feed_forward_length", 0, kExperts},
    {"expert_shared_feed_forward_length", 0, kExperts},
    {"expert_chunk_feed_forward_length", 0, kExperts},
    {"expert_gating_func", 0, kExperts},
    {"expert_weights_scale", 0, kExperts},
    {"expert_weights_norm", 0, kExperts},
    {"leading_dense_block_count", 0, kExperts},
    {"moe_every_n_layers", 0, kExperts},
    {"moe_latent_size", 0, kExperts},
    {"router_logit_softcapping", 0, kExperts},
    {"nextn_predict_layers", 0, kMoreTokens},
    {"use_parallel_residual", 0, "attention and feed-forward beside each other"},
    {"logit_scale", 1, "scaled logits"},
    {"embedding_scale", 1, "a scaled embedding"},
    {"residual_scale", 1, "scaled layers"},
    {"final_logit_softcapping", 0, "logits with a soft bound"},
    {"attn_logit_softcapping", 0, "attention scores with a soft bound"},
    {"attention.clamp_kqv", 0, "queries, keys and values that are clamped"},
    {"attention.max_alibi_bias", 0, "positions as biases of attention (ALiBi)"},
    {"attention.causal", 1, "attention to later tokens"},
    {"attention.scale", 0, "another scale of attention scores"},
    {"attention.output_scale", 1, "scaled attention"},
    {"attention.temperature_length", 0, "attention scores scaled by position"},
    {"attention.temperature_scale", 0, "attention scores scaled by position"},
    {"attention.shared_kv_layers", 0, "layers that share keys and values"},
    {"attention.q_lora_rank", 0, kLatent},
    {"attention.kv_lora_rank", 0, kLatent},
    {"attention.key_length_mla", 0, kLatent},
    {"attention.value_length_mla", 0, kLatent},
    {"attention.group_norm_epsilon", 0, "group norms"},
    {"attention.group_norm_groups", 0, "group norms"},
    {"attention.chunk_size", 0, "attention within chunks of the text"},
    {"attention.recurrent_layers", 0, kRecurrent},
    {"full_attention_interval", 0, kRecurrent},
    {"ssm.conv_kernel", 0, kRecurrent},
    {"ssm.inner_size", 0, kRecurrent},
    {"ssm.state_size", 0, kRecurrent},
    {"ssm.time_step_rank", 0, kRecurrent},
    {"ssm.group_count", 0, kRecurrent},
    {"ssm.dt_b_c_rms", 0, kRecurrent},
    {"shortconv.l_cache", 0, kRecurrent},
    {"rope.dimension_sections", 0, kImages},
    {"rope.freq_base_swa", 0, "another base of rotary positions in layers with windows"},
    {"rope.dimension_count_swa", 0, "another rotary width in layers with windows"},
    {"rope.scale_linear", 1, "scaled rotary positions"},
    {"pooling_type", 0, kEmbeddings},
    {"n_deepstack_layers", 0, "a model of images and text"},
    {"embedding_length_per_layer_input", 0, "embeddings of every layer"},
    {"swin_norm", 0, "norms after attention"},
};

constexpr ExtraKey kTokenizerExtras[] = {
    {"add_sep_token", 0, "a separator after every text"},
    {"normalizer.lowercase", 0, "a tokenizer that ignores case"},
    {"normalizer.strip_accents", 0, "a tokenizer that ignores accents"},
    {"precompiled_charsmap", 0, "a table of normal forms"},
    {"escape_whitespaces", 1, "spaces without marks"},
    {"treat_whitespace_as_suffix", 0, "marks of spaces after words"},
    {"ignore_merges", 0, "words that are not merged"},
};

/// A number, or a flag as 0 or 1.
std::optional<double> as_number(const GgufValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

std::string shown(const GgufValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string_view>(&value)) return fmt::format("'{}'", *text);
  const auto number = as_number(value);
  return number ? fmt::format("{}", *number) : "a list";
}

/// @param known  says whether a key, without the prefix, is read elsewhere or has no effect
template <typename Known>
void refuse(const GgufFile& file, std::string_view prefix, std::span<const ExtraKey> extras,
            const Known& known) {
  for (const auto& [key, value] : file.metadata()) {
    if (!key.starts_with(prefix)) continue;
    const auto rest = std::string_view(key).substr(prefix.size());
    if (known(rest)) continue;
    const auto extra = std::find_if(extras.begin(), extras.end(),
                                    [&](const ExtraKey& of) { return of.name == rest; });
    if (extra == extras.end())
      throw InputError(fmt::format(
          "{}: metadata key '{}' is unknown, or asks for something that is not supported",
          file.name(), key));
    const ExtraKey named{key, extra->harmless, extra->meaning};
    const std::string error = extra_key_error(named, as_number(value), shown(value));
    if (!error.empty()) throw InputError(fmt::format("{}: metadata key {}", file.name(), error));
  }
}

bool contains(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

void refuse_other_keys(const GgufFile& file, std::string_view prefix,
                       std::span<const std::string_view> known) {
  refuse(file, prefix, kExtraKeys, [&](std::string_view key) {
    return contains(known, key) || contains(kWithoutEffect, key);
  });
}

void refuse_other_tokenizer_keys(const GgufFile& file, std::string_view prefix,
                                 std::span<const std::string_view> known) {
  refuse(file, prefix, kTokenizerExtras,
         [&](std::string_view key) { return contains(known, key) || key.ends_with("_token_id"); });
}

}  // namespace outrider::model
