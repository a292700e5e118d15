#include "runtime/model/huggingface/hf_extra_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/extra_key.h"

namespace outrider::model {
namespace {

using nlohmann::json;

/// Keys for any model type that do not change the computation: for training, for other programs, about the texts
/// to generate by default, or redundant.
constexpr std::string_view kIgnoredKeys[] = {"_attn_implementation",
                                             "_attn_implementation_autoset",
                                             "_attn_implementation_internal",
                                             "_commit_hash",
                                             "_flash_attn_2_enabled",
                                             "_name_or_path",
                                             "add_cross_attention",
                                             "architectures",
                                             "attention_dropout",
                                             "attn_implementation",
                                             "auto_map",
                                             "bad_words_ids",
                                             "begin_suppress_tokens",
                                             "bos_token_id",
                                             "chunk_size_feed_forward",
                                             "classifier_dropout",
                                             "cross_attention_hidden_size",
                                             "decoder_start_token_id",
                                             "diversity_penalty",
                                             "do_sample",
                                             "dtype",
                                             "early_stopping",
                                             "embd_pdrop",
                                             "encoder_no_repeat_ngram_size",
                                             "exponential_decay_length_penalty",
                                             "finetuning_task",
                                             "forced_bos_token_id",
                                             "forced_eos_token_id",
                                             "gradient_checkpointing",
                                             "hidden_dropout",
                                             "hidden_dropout_prob",
                                             "id2label",
                                             "initializer_range",
                                             "is_decoder",
                                             "is_encoder_decoder",
                                             "is_llama_config",
                                             "label2id",
                                             "length_penalty",
                                             "max_length",
                                             "max_new_tokens",
                                             "min_length",
                                             "min_p",
                                             "model_max_length",
                                             "no_repeat_ngram_size",
                                             "num_beam_groups",
                                             "num_beams",
                                             "num_labels",
                                             "num_return_sequences",
                                             "output_attentions",
                                             "output_hidden_states",
                                             "output_router_logits",
                                             "output_scores",
                                             "pad_token_id",
                                             "prefix",
                                             "problem_type",
                                             "pruned_heads",
                                             "remove_invalid_values",
                                             "repetition_penalty",
                                             "resid_pdrop",
                                             "return_dict",
                                             "return_dict_in_generate",
                                             "router_aux_loss_coef",
                                             "sep_token_id",
                                             "suppress_tokens",
                                             "task_specific_params",
                                             "temperature",
                                             "tf_legacy_loss",
                                             "tie_encoder_decoder",
                                             "tokenizer_class",
                                             "top_k",
                                             "top_p",
                                             "torch_dtype",
                                             "torchscript",
                                             "transformers.js_config",
                                             "transformers_version",
                                             "typical_p",
                                             "unk_token_id",
                                             "unsloth_fixed",
                                             "unsloth_version",
                                             "use_bfloat16",
                                             "use_cache",
                                             "use_cache_kernel",
                                             "use_cache_quantization",
                                             "use_flash_attention",
                                             "use_flash_attention_2",
                                             "use_flash_attn"};

constexpr std::string_view kLatent = "latent attention";
constexpr std::string_view kImages = "a model of images and text";
constexpr std::string_view kSharedNorm = "norms of queries and keys";

constexpr ExtraKey kExtraKeys[] = {
    {"num_experts", 0, kExperts},
    {"num_local_experts", 0, kExperts},
    {"n_routed_experts", 0, kExperts},
    {"n_shared_experts", 0, kExperts},
    {"num_shared_experts", 0, kExperts},
    {"num_experts_per_tok", 0, kExperts},
    {"num_experts_per_token", 0, kExperts},
    {"moe_intermediate_size", 0, kExperts},
    {"shared_expert_intermediate_size", 0, kExperts},
    {"first_k_dense_replace", 0, kExperts},
    {"moe_layer_freq", 0, kExperts},
    {"decoder_sparse_step", 0, kExperts},
    {"mlp_only_layers", 0, kExperts},
    {"norm_topk_prob", 0, kExperts},
    {"use_moe", 0, kExperts},
    {"num_nextn_predict_layers", 0, "layers that predict further tokens"},
    {"q_lora_rank", 0, kLatent},
    {"kv_lora_rank", 0, kLatent},
    {"qk_rope_head_dim", 0, kLatent},
    {"qk_nope_head_dim", 0, kLatent},
    {"attn_logit_softcapping", 0, "attention scores with a soft bound"},
    {"final_logit_softcapping", 0, "logits with a soft bound"},
    {"logit_scale", 1, "scaled logits"},
    {"logits_scaling", 1, "scaled logits"},
    {"embedding_multiplier", 1, "a scaled embedding"},
    {"scale_emb", 1, "a scaled embedding"},
    {"residual_multiplier", 1, "scaled layers"},
    {"attention_multiplier", 0, "another scale of attention scores"},
    {"query_pre_attn_scalar", 0, "another scale of attention scores"},
    {"use_dynamic_ntk", 0, "rotary positions that depend on the length of the text"},
    {"use_logn_attn", 0, "attention scores scaled by position"},
    {"clip_qkv", 0, "queries, keys and values that are clamped"},
    {"parallel_attn", 0, "attention and feed-forward beside each other"},
    {"use_parallel_residual", 0, "attention and feed-forward beside each other"},
    {"alibi", 0, "positions as biases of attention (ALiBi)"},
    {"use_qk_norm", 0, kSharedNorm},
    {"qk_norm", 0, kSharedNorm},
    {"qk_layernorm", 0, kSharedNorm},
    {"use_qkv_bias", 0, "biases"},
    {"use_bias", 0, "biases"},
    {"qkv_bias", 0, "biases"},
    {"use_mrope", 0, "positions of images and videos"},
    {"mrope_section", 0, "positions of images and videos"},
    {"no_rope_layers", 0, "layers without positions"},
    {"no_rope_layer_interval", 0, "layers without positions"},
    {"sliding_window_pattern", 0, "windows in some layers"},
    {"attention_sink_size", 0, "attention sinks"},
    {"num_kv_shared_layers", 0, "layers that share keys and values"},
    {"use_bidirectional_attention", 0, "attention to later tokens"},
    {"vision_config", 0, kImages},
    {"audio_config", 0, "a model of sounds and text"},
    {"text_config", 0, "a model of more than text"},
    {"quantization", 0, "weights quantised by another program"},
    {"compression_config", 0, "weights quantised by another program"},
    {"layer_norm_rank", 0, "norms of another kind"},
    {"use_sliding_window_attention", 0, "windows"},
    {"mamba_d_state", 0, "layers with a recurrent state"},
    {"linear_num_key_heads", 0, "layers with a recurrent state"},
};

/// A number, or a flag as 0 or 1; an empty list asks for nothing and is 0.
std::optional<double> as_number(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number()) return value.get<double>();
  if (value.is_array() && value.empty()) return 0;
  return std::nullopt;
}

std::string shown(const json& value) {
  return value.is_structured() || value.is_string() ? "given" : value.dump();
}

}  // namespace

void refuse_other_keys(const JsonObject& file, std::span<const std::string_view> known) {
  std::vector<std::string_view> checked(std::begin(kIgnoredKeys), std::end(kIgnoredKeys));
  for (const ExtraKey& extra : kExtraKeys) {
    if (std::find(known.begin(), known.end(), extra.name) != known.end()) continue;
    checked.push_back(extra.name);
    const json* value = file.find(extra.name);
    if (value == nullptr) continue;
    const std::string error = extra_key_error(extra, as_number(*value), shown(*value));
    if (!error.empty()) throw InputError(fmt::format("{}: {}", file.where(), error));
  }
  file.refuse_others(known, checked);
}

}  // namespace outrider::model
