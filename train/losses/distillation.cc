#include "train/losses/distillation.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "train/losses/stored_targets.h"

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Logits of so many rows stay in the cache beside the head; a GPU has fewer launches the more there are.
constexpr std::int64_t kRowsOnProcessor = 256, kRowsOnGpu = 4096;
constexpr double kSmallest = 1e-30;

/// Hard labels of some queries.
struct Labels {
  at::Tensor known;  // [queries, 1]: 1 where the label has a head row, else 0
  at::Tensor rows;   // [queries, 1] int64; 0 where it has none
};

Labels labels_of(const QueryTargets& targets, HardLabel kind, std::int64_t first,
                 std::int64_t count, at::ScalarType type) {
  const at::Tensor& all = kind == HardLabel::kGreedy ? targets.greedy : targets.taken;
  const at::Tensor rows = all.narrow(0, first, count).unsqueeze(1);
  return {rows.ge(0).to(type), rows.clamp_min(0)};
}

/// @param logits  [rows, head rows]; becomes the gradient by them
/// @return the rows' loss, in double
at::Tensor turn_into_gradient(at::Tensor& logits, const StoredTargets& stored, const Labels& labels,
                              double hard_share) {
  const double soft_share = 1 - hard_share;
  const at::Tensor& p = stored.probabilities;
  logits.sub_(logits.amax(-1, /*keepdim=*/true));
  const at::Tensor known_logits = logits.gather(1, stored.rows);
  const at::Tensor label_logit = logits.gather(1, labels.rows);
  at::Tensor& masses = logits.exp_();
  // Unknown tokens share row 0 with a known one perhaps; what is added for them is 0.
  const at::Tensor known_masses = masses.gather(1, stored.rows) * stored.known;
  masses.scatter_add_(1, stored.rows, -known_masses);
  // Summed without the known ones: one minus their share would lose its digits.
  const at::Tensor rest_mass = masses.sum(-1, /*keepdim=*/true).clamp_min(kSmallest);
  const at::Tensor total = rest_mass + known_masses.sum(-1, /*keepdim=*/true);
  const at::Tensor log_total = total.log();

  const at::Tensor known_loss = at::xlogy(p, p) - p * (known_logits - log_total);
  const at::Tensor rest_loss =
      at::xlogy(stored.rest, stored.rest) - stored.rest * (rest_mass.log() - log_total);
  const at::Tensor hard_loss = labels.known * (log_total - label_logit);
  const auto sum = [](const at::Tensor& x) { return x.sum(at::kDouble); };

  const at::Tensor hard = hard_share * labels.known;  // [rows, 1]
  masses.mul_((soft_share + hard) / total - soft_share * stored.rest / rest_mass);
  masses.scatter_add_(1, stored.rows,
                      known_masses * ((soft_share + hard) / total) - soft_share * p);
  masses.scatter_add_(1, labels.rows, -hard);
  return soft_share * (sum(known_loss) + sum(rest_loss)) + hard_share * sum(hard_loss);
}

struct Distillation : torch::autograd::Function<Distillation> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& states, const at::Tensor& head,
                            const QueryTargets& targets, const DistillationOptions& options,
                            Precision precision) {
    const at::Tensor weights = operand(head, precision);
    const auto type = states.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    at::Tensor gradient = at::empty_like(states);
    at::Tensor head_gradient;  // undefined: the head is frozen
    if (head.requires_grad()) head_gradient = at::zeros_like(head);
    at::Tensor loss = at::zeros({}, states.options().dtype(at::kDouble));
    const std::int64_t most = states.is_cpu() ? kRowsOnProcessor : kRowsOnGpu;
    for (std::int64_t first = 0; first < states.size(0); first += most) {
      const std::int64_t count = std::min(most, states.size(0) - first);
      const at::Tensor rows = operand(states.narrow(0, first, count), precision);
      at::Tensor logits = product(rows, weights).to(type);
      loss += turn_into_gradient(logits, stored_targets(targets, first, count, type),
                                 labels_of(targets, options.label, first, count, type),
                                 options.hard_share);
      logits = operand(logits, precision);
      if (states.requires_grad())
        gradient.narrow(0, first, count).copy_(product(logits, weights.t()));
      if (head_gradient.defined()) head_gradient.add_(product(logits.t(), rows.t()));
    }
    ctx->save_for_backward({gradient, head_gradient});
    return loss;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list gradients = ctx->get_saved_variables();
    const auto scaled = [&](const at::Tensor& gradient) {
      return gradient.defined() ? gradient * grads[0].to(gradient.scalar_type()) : gradient;
    };
    return {scaled(gradients[0]), scaled(gradients[1]), {}, {}, {}};
  }
};

}  // namespace

at::Tensor distillation(const at::Tensor& states, const at::Tensor& head,
                        const QueryTargets& targets, const DistillationOptions& options,
                        Precision precision) {
  return Distillation::apply(states, head, targets, options, precision);
}

}  // namespace outrider::train
