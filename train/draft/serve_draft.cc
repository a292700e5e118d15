#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cstring>

#include "train/draft/draft_model.h"

namespace outrider::train {
namespace {

/// Makes weights of tensors, with bytes that a model keeps.
class Keeper {
 public:
  explicit Keeper(model::Model& model) : model_(model) {}

  /// @param tensor  a matrix, or a vector: one row
  model::Weight operator()(const char* name, const at::Tensor& tensor) {
    const at::Tensor floats = tensor.detach().to(at::kFloat).contiguous();
    std::vector<std::byte> bytes(floats.nbytes());
    std::memcpy(bytes.data(), floats.const_data_ptr(), bytes.size());
    model::Weight weight;
    weight.name = name;
    weight.type = model::WeightType::kF32;
    weight.rows = floats.dim() == 1 ? 1 : floats.size(0);
    weight.columns = floats.size(-1);
    weight.bytes = model_.keep(std::move(bytes));
    return weight;
  }

 private:
  model::Model& model_;
};

}  // namespace

model::Model DraftModel::model(const model::Model& target) const {
  model::Model draft;
  draft.path = target.path;
  draft.name = target.name + " draft";
  draft.config = config_;
  draft.embedding = target.embedding;
  draft.files = target.files;
  draft.buffers = target.buffers;
  draft.tokenizer = target.tokenizer;
  draft.head_tokens = head_tokens_;
  Keeper keep(draft);
  // The head on the map of a state is their product on the state.
  draft.head = keep("head", at::mm(head_, map_.detach()));
  draft.final_norm = keep("final_norm", final_norm_);
  for (const DraftLayer& weights : layers_) {
    const auto kv = weights.kv.chunk(2);
    const auto gate_up = weights.gate_up.chunk(2);
    model::LayerWeights& layer = draft.layers.emplace_back();
    layer.attn_norm = keep("attn_norm", weights.attn_norm);
    layer.q = keep("q", weights.q);
    layer.k = keep("k", kv[0]);
    layer.v = keep("v", kv[1]);
    layer.o = keep("o", weights.o);
    layer.ffn_norm = keep("ffn_norm", weights.ffn_norm);
    layer.gate = keep("gate", gate_up[0]);
    layer.up = keep("up", gate_up[1]);
    layer.down = keep("down", weights.down);
  }
  return draft;
}

}  // namespace outrider::train
