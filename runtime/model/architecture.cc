#include "runtime/model/architecture.h"

namespace outrider::model {
namespace {

constexpr ModelTensor kGgufModel[] = {
    {"token_embd.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"output_norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    // Absent: the embedding serves as the head.
    {"output.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kGgufLayer[] = {
    {"attn_norm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"attn_q.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"attn_k.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"attn_v.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"attn_output.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"ffn_norm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"ffn_gate.weight", &LayerWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_up.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_down.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
};

constexpr LayerTensor kGgufFusedLayer[] = {
    {"attn_norm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"attn_qkv.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"attn_qkv.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"attn_qkv.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"attn_output.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"ffn_norm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"ffn_up.weight", &LayerWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_up.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_down.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
};

constexpr LayerTensor kQwen2More[] = {
    {"attn_q.bias", &LayerWeights::q_bias, Extent::kOne, Extent::kQueries},
    {"attn_k.bias", &LayerWeights::k_bias, Extent::kOne, Extent::kKeys},
    {"attn_v.bias", &LayerWeights::v_bias, Extent::kOne, Extent::kKeys},
};

constexpr LayerTensor kQwen3More[] = {
    {"attn_q_norm.weight", &LayerWeights::q_norm, Extent::kOne, Extent::kHeadWidth},
    {"attn_k_norm.weight", &LayerWeights::k_norm, Extent::kOne, Extent::kHeadWidth},
};

constexpr TensorNames kLlama = {"blk.", kGgufModel, kGgufLayer, {}, RowOrder::kNeighbours};
constexpr TensorNames kQwen2 = {"blk.", kGgufModel, kGgufLayer, kQwen2More};
constexpr TensorNames kQwen3 = {"blk.", kGgufModel, kGgufLayer, kQwen3More};
constexpr TensorNames kPhi3 = {"blk.", kGgufModel, kGgufFusedLayer};

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
    {"self_attn.q_proj.bias", &LayerWeights::q_bias, Extent::kOne, Extent::kQueries},
    {"self_attn.k_proj.bias", &LayerWeights::k_bias, Extent::kOne, Extent::kKeys},
    {"self_attn.v_proj.bias", &LayerWeights::v_bias, Extent::kOne, Extent::kKeys},
};

constexpr LayerTensor kHfQwen3More[] = {
    {"self_attn.q_norm.weight", &LayerWeights::q_norm, Extent::kOne, Extent::kHeadWidth},
    {"self_attn.k_norm.weight", &LayerWeights::k_norm, Extent::kOne, Extent::kHeadWidth},
};

constexpr TensorNames kHfLlama = {"model.layers.", kHfModel, kHfLayer};
constexpr TensorNames kHfQwen2 = {"model.layers.", kHfModel, kHfLayer, kHfQwen2More};
constexpr TensorNames kHfQwen3 = {"model.layers.", kHfModel, kHfLayer, kHfQwen3More};
constexpr TensorNames kHfPhi3 = {"model.layers.", kHfModel, kHfFusedLayer};

}  // namespace

std::int64_t extent_of(Extent extent, const ModelConfig& config) {
  switch (extent) {
    case Extent::kOne:
      return 1;
    case Extent::kWidth:
      return config.width;
    case Extent::kQueries:
      return std::int64_t{config.heads} * config.head_width;
    case Extent::kKeys:
      return std::int64_t{config.kv_heads} * config.head_width;
    case Extent::kHeadWidth:
      return config.head_width;
    case Extent::kFfnWidth:
      return config.ffn_width;
    case Extent::kVocab:
      return config.vocab;
  }
  return 0;
}

const TensorNames* gguf_tensor_names(std::string_view architecture) {
  if (architecture == "llama") return &kLlama;
  if (architecture == "qwen2") return &kQwen2;
  if (architecture == "qwen3") return &kQwen3;
  if (architecture == "phi3") return &kPhi3;
  return nullptr;
}

const TensorNames* hf_tensor_names(std::string_view model_type) {
  if (model_type == "llama" || model_type == "mistral") return &kHfLlama;
  if (model_type == "qwen2") return &kHfQwen2;
  if (model_type == "qwen3") return &kHfQwen3;
  if (model_type == "phi3") return &kHfPhi3;
  return nullptr;
}

}  // namespace outrider::model
