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

}  // namespace outrider::model
