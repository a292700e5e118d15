#include "train/parallelspec/parallelspec_objective.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

#include "runtime/model/identity.h"
#include "train/parallelspec/choose_groups.h"
#include "train/parallelspec/export_drafter.h"
#include "train/parallelspec/medusa_heads.h"
#include "train/parallelspec/validate_parallelspec.h"

namespace outrider::train {
namespace {

at::Tensor feature_loss(const at::Tensor& outputs, const GroupBatch& batch, double slot_decay) {
  const at::Tensor wanted = batch.wanted.to(outputs.scalar_type());
  const at::Tensor of_slots = at::smooth_l1_loss(outputs, wanted, at::Reduction::None).mean(-1);
  const at::Tensor weights =
      at::pow(slot_decay, at::arange(outputs.size(1), outputs.options().dtype(at::kDouble))) *
      batch.counted;
  return (of_slots * weights.to(of_slots.scalar_type())).sum(at::kDouble);
}

}  // namespace

at::Tensor parallelspec_loss(const at::Tensor& outputs, const at::Tensor& head,
                             const GroupBatch& batch, const ParallelSpecOptions& options) {
  at::Tensor loss = at::zeros({}, outputs.options().dtype(at::kDouble));
  if (batch.wanted.defined() && options.feature_weight != 0)
    loss = options.feature_weight * feature_loss(outputs, batch, options.slot_decay);
  if (options.token_weight == 0) return loss;
  for (std::size_t slot = 0; slot < batch.targets.size(); ++slot) {
    const at::Tensor states = outputs.select(1, static_cast<std::int64_t>(slot)).contiguous();
    const double weight =
        options.token_weight * std::pow(options.slot_decay, static_cast<double>(slot));
    loss = loss + weight * distillation(states, head, batch.targets[slot], options.tokens,
                                        options.precision);
  }
  return loss;
}

ParallelSpecObjective::Drafters ParallelSpecObjective::new_drafter(
    const model::Model& target, const ParallelSpecOptions& options, std::vector<Token> head_tokens,
    const at::TensorOptions& tensors) {
  Drafters drafters;
  if (options.shape.flavour == Flavour::kMedusaHeads) {
    auto heads =
        std::make_unique<MedusaHeads>(target, options.shape, std::move(head_tokens), tensors);
    drafters.served = heads.get();
    drafters.any = std::move(heads);
  } else if (options.shape.exported) {
    auto exported =
        std::make_unique<ExportDrafter>(target, options.shape, std::move(head_tokens), tensors);
    drafters.exported = exported.get();
    drafters.any = std::move(exported);
  } else {
    auto layer = std::make_unique<ParallelSpecDrafter>(
        target, options.shape, std::move(head_tokens), options.final_norm, tensors);
    drafters.served = drafters.layer = layer.get();
    drafters.any = std::move(layer);
  }
  return drafters;
}

ParallelSpecObjective::ParallelSpecObjective(const model::Model& target,
                                             std::vector<Token> head_tokens,
                                             ParallelSpecOptions options,
                                             const at::TensorOptions& tensors)
    : target_(target),
      options_(options),
      drafters_(new_drafter(target, options, std::move(head_tokens), tensors)) {}

GroupBatch ParallelSpecObjective::batch(std::span<const data::Trace> traces) const {
  std::vector<GroupStarts> starts;
  for (const data::Trace& trace : traces)
    starts.push_back(some_starts(possible_starts(trace, options_.shape), options_.groups,
                                 random_of(trace, static_cast<std::uint64_t>(step_))));
  return pack_groups(traces, starts, options_.shape, drafters_.any->head_rows(),
                     /*all_counted=*/false, options_.most_context, drafters_.any->head().device());
}

StepLoss ParallelSpecObjective::accumulate(std::span<const data::Trace> traces, double scale) {
  const GroupBatch batch = this->batch(traces);
  if (batch.groups.empty()) return {};
  const at::Tensor loss = parallelspec_loss(drafters_.any->outputs(batch, options_.precision),
                                            drafters_.any->head(), batch, options_);
  (loss * scale).backward();
  return {loss.item<double>(), batch.counted.sum(at::kDouble).item().toLong()};
}

Validation ParallelSpecObjective::validate(std::span<const data::Trace> traces) {
  return validate_parallelspec(*drafters_.any, traces, options_.most_context, options_.precision);
}

nlohmann::json ParallelSpecObjective::identity() const {
  nlohmann::json identity = {
      {"objective", "parallelspec"},
      {"flavour", draft::name_of(options_.shape.flavour)},
      {"token_inputs", options_.shape.reads_tokens()},
      {"masks", options_.shape.masks},
      {"final_norm", options_.final_norm},
      {"target", model::model_hash(target_)},
      {"head_tokens", drafters_.any->head_tokens()},
      {"groups", options_.groups},
      {"feature_weight", options_.feature_weight},
      {"token_weight", options_.token_weight},
      {"slot_decay", options_.slot_decay},
      {"hard_share", options_.tokens.hard_share},
      {"hard_label", options_.tokens.label == HardLabel::kGreedy ? "greedy" : "taken"},
      {"precision", name_of(options_.precision)},
      {"most_context", options_.most_context}};
  if (options_.shape.shared_mask) identity["shared_mask"] = true;
  if (options_.shape.reads_pairs() && !options_.shape.exported) identity["inputs_in_units"] = true;
  if (options_.shape.feed_forward > 0) identity["feed_forward"] = options_.shape.feed_forward;
  if (const auto& exported = options_.shape.exported)
    identity["exported"] = {{"layers", exported->layers}, {"mask_token", exported->mask_token}};
  if (!options_.started_from.empty()) identity["started_from"] = options_.started_from;
  return identity;
}

}  // namespace outrider::train
