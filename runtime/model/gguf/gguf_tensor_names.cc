#include "runtime/model/gguf/gguf_tensor_names.h"

namespace outrider::model {
namespace {

constexpr ModelTensor kGgufModel[] = {
    {"token_embd.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"output_norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    // If absent, the embedding is the head.
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
    {"attn_q.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"attn_k.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"attn_v.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
};

constexpr LayerTensor kQwen3More[] = {
    {"attn_q_norm.weight", &LayerWeights::q_norm, Extent::kOne, Extent::kHeadWidth},
    {"attn_k_norm.weight", &LayerWeights::k_norm, Extent::kOne, Extent::kHeadWidth},
};

constexpr LayerTensor kGemma2More[] = {
    {"post_attention_norm.weight", &LayerWeights::post_attn_norm, Extent::kOne, Extent::kWidth},
    {"post_ffw_norm.weight", &LayerWeights::post_ffn_norm, Extent::kOne, Extent::kWidth},
};

constexpr LayerTensor kGemma3More[] = {
    {"post_attention_norm.weight", &LayerWeights::post_attn_norm, Extent::kOne, Extent::kWidth},
    {"post_ffw_norm.weight", &LayerWeights::post_ffn_norm, Extent::kOne, Extent::kWidth},
    {"attn_q_norm.weight", &LayerWeights::q_norm, Extent::kOne, Extent::kHeadWidth},
    {"attn_k_norm.weight", &LayerWeights::k_norm, Extent::kOne, Extent::kHeadWidth},
};

constexpr std::size_t kBeforeFeedForward = 6;  // tensors of a layer, the norm included

constexpr LayerTensor kLlamaRouter[] = {
    {"ffn_gate_inp.weight", &LayerWeights::router, Extent::kExpertCount, Extent::kWidth},
};

constexpr LayerTensor kQwen3MoeMore[] = {
    {"attn_q_norm.weight", &LayerWeights::q_norm, Extent::kOne, Extent::kHeadWidth},
    {"attn_k_norm.weight", &LayerWeights::k_norm, Extent::kOne, Extent::kHeadWidth},
    {"ffn_gate_inp.weight", &LayerWeights::router, Extent::kExpertCount, Extent::kWidth},
};

constexpr ExpertTensor kGgufExperts[] = {
    {"ffn_gate_exps.weight", &ExpertWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_up_exps.weight", &ExpertWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_down_exps.weight", &ExpertWeights::down, Extent::kWidth, Extent::kFfnWidth},
};

constexpr LayerTensor kGptOssLayer[] = {
    {"attn_norm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"attn_q.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"attn_q.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"attn_k.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"attn_k.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"attn_v.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"attn_v.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
    {"attn_sinks.weight", &LayerWeights::sinks, Extent::kOne, Extent::kHeads},
    {"attn_output.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"attn_output.bias", &LayerWeights::o_bias, Extent::kWidth, Extent::kOne},
    {"post_attention_norm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"ffn_gate_inp.weight", &LayerWeights::router, Extent::kExpertCount, Extent::kWidth},
    {"ffn_gate_inp.bias", &LayerWeights::router_bias, Extent::kOne, Extent::kExpertCount},
};

constexpr ExpertTensor kGptOssExperts[] = {
    {"ffn_gate_exps.weight", &ExpertWeights::gate, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_gate_exps.bias", &ExpertWeights::gate_bias, Extent::kOne, Extent::kFfnWidth},
    {"ffn_up_exps.weight", &ExpertWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_up_exps.bias", &ExpertWeights::up_bias, Extent::kOne, Extent::kFfnWidth},
    {"ffn_down_exps.weight", &ExpertWeights::down, Extent::kWidth, Extent::kFfnWidth},
    {"ffn_down_exps.bias", &ExpertWeights::down_bias, Extent::kOne, Extent::kWidth},
};

constexpr ModelTensor kGgufBloomModel[] = {
    {"token_embd_norm.weight", &Model::embedding_norm, Extent::kOne, Extent::kWidth},
    {"token_embd_norm.bias", &Model::embedding_norm_bias, Extent::kOne, Extent::kWidth},
    {"token_embd.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"output_norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    {"output_norm.bias", &Model::final_norm_bias, Extent::kOne, Extent::kWidth},
    {"output.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr ModelTensor kGgufStarCoderModel[] = {
    {"position_embd.weight", &Model::positions, Extent::kPositions, Extent::kWidth},
    {"token_embd.weight", &Model::embedding, Extent::kVocab, Extent::kWidth},
    {"output_norm.weight", &Model::final_norm, Extent::kOne, Extent::kWidth},
    {"output_norm.bias", &Model::final_norm_bias, Extent::kOne, Extent::kWidth},
    {"output.weight", &Model::head, Extent::kVocab, Extent::kWidth, true},
};

constexpr LayerTensor kGgufBiasedLayer[] = {
    {"attn_norm.weight", &LayerWeights::attn_norm, Extent::kOne, Extent::kWidth},
    {"attn_norm.bias", &LayerWeights::attn_norm_bias, Extent::kOne, Extent::kWidth},
    {"attn_qkv.weight", &LayerWeights::q, Extent::kQueries, Extent::kWidth},
    {"attn_qkv.weight", &LayerWeights::k, Extent::kKeys, Extent::kWidth},
    {"attn_qkv.weight", &LayerWeights::v, Extent::kKeys, Extent::kWidth},
    {"attn_qkv.bias", &LayerWeights::q_bias, Extent::kQueries, Extent::kOne},
    {"attn_qkv.bias", &LayerWeights::k_bias, Extent::kKeys, Extent::kOne},
    {"attn_qkv.bias", &LayerWeights::v_bias, Extent::kKeys, Extent::kOne},
    {"attn_output.weight", &LayerWeights::o, Extent::kWidth, Extent::kQueries},
    {"attn_output.bias", &LayerWeights::o_bias, Extent::kWidth, Extent::kOne},
    {"ffn_norm.weight", &LayerWeights::ffn_norm, Extent::kOne, Extent::kWidth},
    {"ffn_norm.bias", &LayerWeights::ffn_norm_bias, Extent::kOne, Extent::kWidth},
    {"ffn_up.weight", &LayerWeights::up, Extent::kFfnWidth, Extent::kWidth},
    {"ffn_up.bias", &LayerWeights::up_bias, Extent::kFfnWidth, Extent::kOne},
    {"ffn_down.weight", &LayerWeights::down, Extent::kWidth, Extent::kFfnWidth},
    {"ffn_down.bias", &LayerWeights::down_bias, Extent::kWidth, Extent::kOne},
};

constexpr TensorNames kLlama = {"blk.", kGgufModel, kGgufLayer, {}, RowOrder::kNeighbours};
constexpr TensorNames kLlamaExperts = {"blk.",
                                       kGgufModel,
                                       std::span(kGgufLayer).first(kBeforeFeedForward),
                                       kLlamaRouter,
                                       RowOrder::kNeighbours,
                                       {},
                                       kGgufExperts};
constexpr TensorNames kQwen3Moe = {
    "blk.",        kGgufModel,      std::span(kGgufLayer).first(kBeforeFeedForward),
    kQwen3MoeMore, RowOrder::kAsIs, {},
    kGgufExperts};
constexpr TensorNames kGptOss = {"blk.",          kGgufModel, kGptOssLayer,  {},
                                 RowOrder::kAsIs, {},         kGptOssExperts};
constexpr TensorNames kQwen2 = {"blk.", kGgufModel, kGgufLayer, kQwen2More};
constexpr TensorNames kQwen3 = {"blk.", kGgufModel, kGgufLayer, kQwen3More};
constexpr TensorNames kPhi3 = {"blk.", kGgufModel, kGgufFusedLayer};
constexpr TensorNames kGemma2 = {"blk.", kGgufModel, kGgufLayer, kGemma2More};
constexpr TensorNames kGemma3 = {"blk.", kGgufModel, kGgufLayer, kGemma3More};
constexpr TensorNames kBloom = {"blk.", kGgufBloomModel, kGgufBiasedLayer};
constexpr TensorNames kStarCoder = {"blk.", kGgufStarCoderModel, kGgufBiasedLayer};

}  // namespace

const TensorNames* gguf_tensor_names(std::string_view architecture, bool experts) {
  if (architecture == "llama" && experts) return &kLlamaExperts;
  if (architecture == "qwen3moe") return &kQwen3Moe;
  if (architecture == "gpt-oss") return &kGptOss;
  if (architecture == "llama" || architecture == "granite" || architecture == "smollm3")
    return &kLlama;
  if (architecture == "qwen2") return &kQwen2;
  if (architecture == "qwen3") return &kQwen3;
  if (architecture == "gemma2") return &kGemma2;
  if (architecture == "gemma3") return &kGemma3;
  if (architecture == "phi3") return &kPhi3;
  if (architecture == "bloom") return &kBloom;
  if (architecture == "starcoder") return &kStarCoder;
  return nullptr;
}

}  // namespace outrider::model
