#include "runtime/model/architecture.h"

namespace outrider::model {
namespace {

constexpr ModelTensor kLlamaModel[] = {
    {"token_embd.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"output_norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    // Absent: the embedding serves as the head.
    {"output.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kLlamaLayer[] = {
    {"attn_norm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"attn_q.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth, RowOrder::kNeighbours},
    {"attn_k.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth, RowOrder::kNeighbours},
    {"attn_v.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"attn_output.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"ffn_norm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"ffn_gate.weight", &LayerWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_up.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_down.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
};

constexpr TensorNames kLlama = {"blk.", kLlamaModel, kLlamaLayer};

constexpr ModelTensor kHfLlamaModel[] = {
    {"model.embed_tokens.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"model.norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    {"lm_head.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kHfLlamaLayer[] = {
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

constexpr TensorNames kHfLlama = {"model.layers.", kHfLlamaModel, kHfLlamaLayer};

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
    case Extent::kFfnWidth:
      return config.ffn_width;
    case Extent::kVocab:
      return config.vocab;
  }
  return 0;
}

const TensorNames* gguf_tensor_names(std::string_view architecture) {
  return architecture == "llama" ? &kLlama : nullptr;
}

const TensorNames* hf_tensor_names(std::string_view model_type) {
  return model_type == "llama" || model_type == "mistral" ? &kHfLlama : nullptr;
}

}  // namespace outrider::model
