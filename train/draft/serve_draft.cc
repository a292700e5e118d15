#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/core.h>

#include <vector>

#include "runtime/base/error.h"
#include "train/draft/draft_model.h"
#include "train/reference/load_weight.h"

namespace outrider::train {
namespace {

/// The rows, here, of the tokens of a served head.
std::vector<std::int64_t> rows_of(const model::Model& served, const HeadRows& here) {
  std::vector<std::int64_t> rows;
  for (const Token token : served.tokens_of_head()) {
    rows.push_back(here.row(token));
    if (rows.back() < 0)
      throw InputError(fmt::format("{}: its head has token {}, which this draft lacks",
                                   served.path.string(), token));
  }
  return rows;
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
  // The head on the map of a state is their product on the state. It is computed on the processor wherever the
  // draft was trained, so that the same checkpoint gives the same draft.
  draft.head = kept_weight("head", at::mm(head_.cpu(), map_.detach().cpu()), draft);
  draft.final_norm = kept_weight("final_norm", final_norm_, draft);
  for (const DraftLayer& layer : layers_) draft.layers.push_back(kept_layer(layer, draft));
  return draft;
}

void DraftModel::start_from(const model::Model& served) {
  const at::NoGradGuard no_gradients;
  if (served.layers.size() != layers_.size())
    throw InputError(fmt::format("{}: expected a draft of {} layers, found {}",
                                 served.path.string(), layers_.size(), served.layers.size()));
  const at::Tensor rows = at::tensor(rows_of(served, head_rows_));
  for (std::size_t i = 0; i < layers_.size(); ++i)
    take_layer(layers_[i], load_layer(served.layers[i], 0, map_.options()), served.path);
  take_values(final_norm_, load_vector(served.final_norm, final_norm_.options()), served.path,
              "final_norm");
  const at::Tensor head = load_matrix(served.head, at::kDouble);
  const at::Tensor here = head_.cpu().index_select(0, rows).to(at::kDouble);
  map_.copy_(std::get<0>(at::linalg_lstsq(here, head)));
}

}  // namespace outrider::train
