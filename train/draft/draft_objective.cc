#include "train/draft/draft_objective.h"

#include <ATen/ATen.h>

#include "runtime/model/identity.h"
#include "train/draft/validate_draft.h"

namespace outrider::train {
namespace {

DraftOptions with_layers(DraftOptions options, const model::Model& target) {
  if (options.layers.empty()) options.layers = {1, target.config.layers};
  return options;
}

}  // namespace

DraftObjective::DraftObjective(const model::Model& target, std::vector<Token> head_tokens,
                               DraftOptions options, const at::TensorOptions& tensors)
    : target_(target),
      options_(with_layers(std::move(options), target)),
      draft_(target, options_.layers, std::move(head_tokens), tensors) {}

StepLoss DraftObjective::accumulate(std::span<const data::Trace> traces, double scale) {
  const PackedBatch batch = pack(traces, draft_.head_rows(), Predicted::kWithLoss,
                                 options_.most_context, draft_.head().device());
  if (batch.predicted.empty()) return {};
  const at::Tensor loss = distillation(draft_.mapped(batch, options_.precision), draft_.head(),
                                       batch.targets, options_.loss, options_.precision);
  (loss * scale).backward();
  return {loss.item<double>(), std::ssize(batch.predicted)};
}

Validation DraftObjective::validate(std::span<const data::Trace> traces) {
  return validate_draft(draft_, traces, options_.most_context);
}

double DraftObjective::flops_per_token() const {
  double weights = 0;
  for (const Parameter& parameter : draft_.parameters())
    weights += static_cast<double>(parameter.value.numel());
  // Forward, and in the backward pass by inputs and by weights; the head's weights are frozen.
  return 6 * weights + 4 * static_cast<double>(draft_.head().numel());
}

nlohmann::json DraftObjective::identity() const {
  nlohmann::json identity = {
      {"objective", "draft"},
      {"target", model::model_hash(target_)},
      {"layers", options_.layers},
      {"head_tokens", draft_.head_tokens()},
      {"hard_share", options_.loss.hard_share},
      {"hard_label", options_.loss.label == HardLabel::kGreedy ? "greedy" : "taken"},
      {"precision", name_of(options_.precision)},
      {"most_context", options_.most_context}};
  if (!options_.started_from.empty()) identity["started_from"] = options_.started_from;
  return identity;
}

}  // namespace outrider::train
