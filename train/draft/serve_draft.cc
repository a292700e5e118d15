#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstring>

#include "runtime/base/error.h"
#include "train/draft/draft_model.h"
#include "train/draft/load_layer.h"
#include "train/reference/load_weight.h"

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

void replace(const at::Tensor& parameter, const at::Tensor& value, const model::Model& served,
             const char* what) {
  if (parameter.sizes() != value.sizes())
    throw InputError(fmt::format("{}: {} has the shape {}, expected {}", served.path.string(), what,
                                 value.sizes().vec(), parameter.sizes().vec()));
  parameter.copy_(value);
}

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

void DraftModel::start_from(const model::Model& served) {
  const at::NoGradGuard no_gradients;
  const bool whole = served.head_tokens.empty() && std::ssize(head_tokens_) == config_.vocab;
  if (!(whole || served.head_tokens == head_tokens_) || served.layers.size() != layers_.size())
    throw InputError(fmt::format("{}: expected a draft of {} layers with the same {} head tokens",
                                 served.path.string(), layers_.size(), head_tokens_.size()));
  const at::ScalarType dtype = map_.scalar_type();
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const DraftLayer from = load_layer(served.layers[i], dtype);
    DraftLayer& to = layers_[i];
    replace(to.attn_norm, from.attn_norm, served, "attn_norm");
    replace(to.q, from.q, served, "q");
    replace(to.kv, from.kv, served, "kv");
    replace(to.o, from.o, served, "o");
    replace(to.ffn_norm, from.ffn_norm, served, "ffn_norm");
    replace(to.gate_up, from.gate_up, served, "gate_up");
    replace(to.down, from.down, served, "down");
  }
  replace(final_norm_, load_vector(served.final_norm, dtype), served, "final_norm");
  const at::Tensor head = load_matrix(served.head, at::kDouble);
  map_.copy_(std::get<0>(at::linalg_lstsq(head_.to(at::kDouble), head)));
}

}  // namespace outrider::train
