#include "runtime/model/huggingface/hf_tensor_names.h"

namespace outrider::model {
namespace {

constexpr ModelTensor kHfModel[] = {
    {"model.embed_tokens.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"model.norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    {"lm_head.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kHfLayer[] = {
    {"input_layernorm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"self_attn.q_proj.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"self_attn.k_proj.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"self_attn.v_proj.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"self_attn.o_proj.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"post_attention_layernorm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"mlp.gate_proj.weight", &LayerWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.up_proj.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.down_proj.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
};

constexpr LayerTensor kHfFusedLayer[] = {
    {"input_layernorm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"self_attn.qkv_proj.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"self_attn.qkv_proj.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"self_attn.qkv_proj.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"self_attn.o_proj.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"post_attention_layernorm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"mlp.gate_up_proj.weight", &LayerWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.gate_up_proj.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.down_proj.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
};

constexpr LayerTensor kHfQwen2More[] = {
    {"self_attn.q_proj.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"self_attn.k_proj.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"self_attn.v_proj.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
};

constexpr LayerTensor kHfQwen3More[] = {
    {"self_attn.q_norm.weight", &LayerWeights::q_norm, Extent::kOne, Extent::kHeadWidth},
    {"self_attn.k_norm.weight", &LayerWeights::k_norm, Extent::kOne, Extent::kHeadWidth},
};

constexpr LayerTensor kHfGemmaLayer[] = {
    {"input_layernorm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"self_attn.q_proj.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"self_attn.k_proj.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"self_attn.v_proj.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"self_attn.o_proj.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"post_attention_layernorm.weight", &LayerWeights::post_attn_norm, Extent::kOne,
     Extent::kWidth},
    {"pre_feedforward_layernorm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"mlp.gate_proj.weight", &LayerWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.up_proj.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.down_proj.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
    {"post_feedforward_layernorm.weight", &LayerWeights::post_ffn_norm, Extent::kOne,
     Extent::kWidth},
};

constexpr std::size_t kBeforeFeedForward = 6;  // tensors of a layer, the norm included

constexpr LayerTensor kHfMixtralMore[] = {
    {"block_sparse_moe.gate.weight", &LayerWeights::router, Extent::kExpertCount, Extent::kWidth},
};

constexpr ExpertTensor kHfMixtralExperts[] = {
    {"block_sparse_moe.experts.{}.w1.weight", &ExpertWeights::gate, Extent::kFfnWidth,
     Extent::kWidth},
    {"block_sparse_moe.experts.{}.w3.weight", &ExpertWeights::up, Extent::kFfnWidth,
     Extent::kWidth},
    {"block_sparse_moe.experts.{}.w2.weight", &ExpertWeights::down, Extent::kWidth,
     Extent::kFfnWidth},
};

constexpr LayerTensor kHfQwen3MoeMore[] = {
    {"self_attn.q_norm.weight", &LayerWeights::q_norm, Extent::kOne, Extent::kHeadWidth},
    {"self_attn.k_norm.weight", &LayerWeights::k_norm, Extent::kOne, Extent::kHeadWidth},
    {"mlp.gate.weight", &LayerWeights::router, Extent::kExpertCount, Extent::kWidth},
};

constexpr ExpertTensor kHfQwen3MoeExperts[] = {
    {"mlp.experts.{}.gate_proj.weight", &ExpertWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.experts.{}.up_proj.weight", &ExpertWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.experts.{}.down_proj.weight", &ExpertWeights::down, Extent::kWidth, Extent::kFfnWidth},
};

constexpr LayerTensor kHfGptOssMore[] = {
    {"self_attn.q_proj.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"self_attn.k_proj.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"self_attn.v_proj.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
    {"self_attn.o_proj.bias", &LayerWeights::o_bias, Extent::kWidth, Extent::kOne},
    {"self_attn.sinks", &LayerWeights::sinks, Extent::kOne, Extent::kHeads},
    {"mlp.router.weight", &LayerWeights::router, Extent::kExpertCount, Extent::kWidth},
    {"mlp.router.bias", &LayerWeights::router_bias, Extent::kOne, Extent::kExpertCount},
};

/// As separate_experts names them.
constexpr ExpertTensor kHfGptOssExperts[] = {
    {"mlp.experts.gate_proj", &ExpertWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.experts.gate_proj_bias", &ExpertWeights::gate_bias, Extent::kOne, Extent::kFfnWidth},
    {"mlp.experts.up_proj", &ExpertWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.experts.up_proj_bias", &ExpertWeights::up_bias, Extent::kOne, Extent::kFfnWidth},
    {"mlp.experts.down_proj", &ExpertWeights::down, Extent::kWidth, Extent::kFfnWidth},
    {"mlp.experts.down_proj_bias", &ExpertWeights::down_bias, Extent::kOne, Extent::kWidth},
};

constexpr ModelTensor kHfOptModel[] = {
    {"decoder.embed_tokens.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"decoder.embed_positions.weight", &Model::positions, Extent::kPositions, Extent::kWidth},
    {"decoder.final_layer_norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    {"decoder.final_layer_norm.bias", &Model::final_norm_bias, Extent::kOne, Extent::kWidth},
    {"lm_head.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kHfOptLayer[] = {
    {"self_attn_layer_norm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"self_attn_layer_norm.bias", &LayerWeights::attn_norm_bias, Extent::kOne, Extent::kWidth},
    {"self_attn.q_proj.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"self_attn.q_proj.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"self_attn.k_proj.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"self_attn.k_proj.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"self_attn.v_proj.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"self_attn.v_proj.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
    {"self_attn.out_proj.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"self_attn.out_proj.bias", &LayerWeights::o_bias, Extent::kWidth, Extent::kOne},
    {"final_layer_norm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"final_layer_norm.bias", &LayerWeights::ffn_norm_bias, Extent::kOne, Extent::kWidth},
    {"fc1.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"fc1.bias", &LayerWeights::up_bias, Extent::kFfnWidth, Extent::kOne},
    {"fc2.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
    {"fc2.bias", &LayerWeights::down_bias, Extent::kWidth, Extent::kOne},
};

constexpr ModelTensor kHfBloomModel[] = {
    {"word_embeddings.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"word_embeddings_layernorm.weight", &Model::embedding_norm, Extent::kOne, Extent::kWidth},
    {"word_embeddings_layernorm.bias", &Model::embedding_norm_bias, Extent::kOne, Extent::kWidth},
    {"ln_f.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    {"ln_f.bias", &Model::final_norm_bias, Extent::kOne, Extent::kWidth},
    {"lm_head.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kHfBloomLayer[] = {
    {"input_layernorm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"input_layernorm.bias", &LayerWeights::attn_norm_bias, Extent::kOne, Extent::kWidth},
    {"self_attention.query_key_value.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"self_attention.query_key_value.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"self_attention.query_key_value.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"self_attention.query_key_value.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"self_attention.query_key_value.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"self_attention.query_key_value.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
    {"self_attention.dense.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"self_attention.dense.bias", &LayerWeights::o_bias, Extent::kWidth, Extent::kOne},
    {"post_attention_layernorm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"post_attention_layernorm.bias", &LayerWeights::ffn_norm_bias, Extent::kOne, Extent::kWidth},
    {"mlp.dense_h_to_4h.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.dense_h_to_4h.bias", &LayerWeights::up_bias, Extent::kFfnWidth, Extent::kOne},
    {"mlp.dense_4h_to_h.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
    {"mlp.dense_4h_to_h.bias", &LayerWeights::down_bias, Extent::kWidth, Extent::kOne},
};

constexpr ModelTensor kHfBigCodeModel[] = {
    {"wte.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"wpe.weight", &Model::positions, Extent::kPositions, Extent::kWidth},
    {"ln_f.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    {"ln_f.bias", &Model::final_norm_bias, Extent::kOne, Extent::kWidth},
    {"lm_head.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kHfBigCodeLayer[] = {
    {"ln_1.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"ln_1.bias", &LayerWeights::attn_norm_bias, Extent::kOne, Extent::kWidth},
    {"attn.c_attn.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"attn.c_attn.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"attn.c_attn.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"attn.c_attn.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"attn.c_attn.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"attn.c_attn.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
    {"attn.c_proj.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"attn.c_proj.bias", &LayerWeights::o_bias, Extent::kWidth, Extent::kOne},
    {"ln_2.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"ln_2.bias", &LayerWeights::ffn_norm_bias, Extent::kOne, Extent::kWidth},
    {"mlp.c_fc.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"mlp.c_fc.bias", &LayerWeights::up_bias, Extent::kFfnWidth, Extent::kOne},
    {"mlp.c_proj.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
    {"mlp.c_proj.bias", &LayerWeights::down_bias, Extent::kWidth, Extent::kOne},
};

constexpr TensorNames kHfLlama = {"model.layers.", kHfModel, kHfLayer};
constexpr TensorNames kHfQwen2 = {"model.layers.", kHfModel, kHfLayer, kHfQwen2More};
constexpr TensorNames kHfQwen3 = {"model.layers.", kHfModel, kHfLayer, kHfQwen3More};
constexpr TensorNames kHfGemma2 = {"model.layers.", kHfModel, kHfGemmaLayer};
constexpr TensorNames kHfGemma3 = {"model.layers.", kHfModel, kHfGemmaLayer, kHfQwen3More};
constexpr TensorNames kHfMixtral = {
    "model.layers.",  kHfModel,        std::span(kHfLayer).first(kBeforeFeedForward),
    kHfMixtralMore,   RowOrder::kAsIs, {},
    kHfMixtralExperts};
constexpr TensorNames kHfQwen3Moe = {
    "model.layers.",   kHfModel,        std::span(kHfLayer).first(kBeforeFeedForward),
    kHfQwen3MoeMore,   RowOrder::kAsIs, {},
    kHfQwen3MoeExperts};
constexpr TensorNames kHfGptOss = {
    "model.layers.", kHfModel,        std::span(kHfLayer).first(kBeforeFeedForward),
    kHfGptOssMore,   RowOrder::kAsIs, {},
    kHfGptOssExperts};
constexpr TensorNames kHfPhi3 = {"model.layers.", kHfModel, kHfFusedLayer};
constexpr TensorNames kHfOpt = {"decoder.layers.", kHfOptModel, kHfOptLayer, {},
                                RowOrder::kAsIs,   "model."};
constexpr TensorNames kHfBloom = {"h.", kHfBloomModel,         kHfBloomLayer,
                                  {},   RowOrder::kHeadByHead, "transformer."};
constexpr TensorNames kHfBigCode = {"h.", kHfBigCodeModel, kHfBigCodeLayer,
                                    {},   RowOrder::kAsIs, "transformer."};

}  // namespace

const TensorNames* hf_tensor_names(std::string_view model_type) {
  for (const char* like_llama : {"llama", "mistral", "granite", "smollm3"})
    if (model_type == like_llama) return &kHfLlama;
  if (model_type == "qwen2") return &kHfQwen2;
  if (model_type == "qwen3") return &kHfQwen3;
  if (model_type == "mixtral") return &kHfMixtral;
  if (model_type == "qwen3_moe") return &kHfQwen3Moe;
  if (model_type == "gpt_oss") return &kHfGptOss;
  if (model_type == "gemma2") return &kHfGemma2;
  if (model_type == "gemma3_text") return &kHfGemma3;
  if (model_type == "phi3") return &kHfPhi3;
  if (model_type == "opt") return &kHfOpt;
  if (model_type == "bloom") return &kHfBloom;
  if (model_type == "gpt_bigcode") return &kHfBigCode;
  return nullptr;
}

}  // namespace outrider::model
