#include "train/draft/fit_draft.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>

#include "runtime/base/error.h"
#include "runtime/engine/forward_text.h"

namespace outrider::train {
namespace {

// Of the mean square of a state's number.
constexpr double kRidge = 1e-3;
constexpr std::array kScales = {1.0, 0.5, 0.25, 0.12, 0.06};

/// The target's states after the final norm at the queries, [queries, width].
at::Tensor target_states(engine::Engine& target, std::span<const data::Trace> traces,
                         const PackedBatch& batch) {
  at::Tensor states = at::empty({std::ssize(batch.predicted), target.config().width}, at::kFloat);
  std::size_t query = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    std::vector<Token> tokens = traces[i].prompt_tokens;
    const int prompt = static_cast<int>(tokens.size());
    tokens.insert(tokens.end(), traces[i].output_tokens.begin(), traces[i].output_tokens.end() - 1);
    const auto keep = [&](const engine::Pass& pass, int first) {
      const int end = first + static_cast<int>(pass.rows.size());
      for (; query < batch.predicted.size(); ++query) {
        const auto [trace, output] = batch.predicted[query];
        const int row = prompt + output - 1;
        if (static_cast<std::size_t>(trace) != i || row >= end) return;
        const auto state = pass.observed.state(engine::kFinalNorm, row - first);
        std::copy(state.begin(), state.end(),
                  states[static_cast<std::int64_t>(query)].mutable_data_ptr<float>());
      }
    };
    engine::forward_text(target, tokens, {.request = {.layers = {engine::kFinalNorm}}}, keep);
  }
  return states;
}

/// The M [width, width] for which states Mᵀ is closest to `wanted`.
at::Tensor least_squares(const at::Tensor& states, const at::Tensor& wanted) {
  const at::Tensor x = states.to(at::kDouble);
  at::Tensor squares = at::mm(x.t(), x);
  squares.diagonal().add_(kRidge * squares.diagonal().mean());
  return at::linalg_solve(squares, at::mm(x.t(), wanted.to(at::kDouble))).t();
}

/// Tries scales of layers.
class Fit {
 public:
  Fit(DraftObjective& objective, PackedBatch batch, at::Tensor wanted)
      : objective_(objective), batch_(std::move(batch)), wanted_(std::move(wanted)) {
    for (const DraftLayer& layer : objective.draft().layers())
      outputs_.push_back({layer.o.clone(), layer.down.clone()});
  }

  void scale(std::size_t layer, double factor) {
    DraftLayer& weights = objective_.draft().layers()[layer];
    weights.o.copy_(outputs_[layer].first * factor);
    weights.down.copy_(outputs_[layer].second * factor);
  }

  /// Solves the map. @return the loss with it, a token
  double solve() {
    DraftModel& draft = objective_.draft();
    const Precision precision = objective_.options().precision;
    const at::Tensor states = draft.normed(batch_, precision);
    draft.map().copy_(least_squares(states, wanted_));
    const at::Tensor loss = distillation(at::linear(states, draft.map()), draft.head(),
                                         batch_.targets, objective_.options().loss, precision);
    return loss.item<double>() / static_cast<double>(batch_.predicted.size());
  }

 private:
  DraftObjective& objective_;
  PackedBatch batch_;
  at::Tensor wanted_;
  std::vector<std::pair<at::Tensor, at::Tensor>> outputs_;  // [layers]: o and down as they were
};

}  // namespace

DraftFit fit_draft(DraftObjective& objective, engine::Engine& target,
                   std::span<const data::Trace> traces) {
  const at::NoGradGuard no_gradients;
  PackedBatch batch = pack(traces, objective.draft().head_rows(), Predicted::kWithLoss,
                           objective.options().most_context);
  if (batch.predicted.empty())
    throw InputError("the traces to begin with have no token with a loss outside of loops");
  DraftFit result;
  result.tokens = std::ssize(batch.predicted);
  const at::Tensor wanted = target_states(target, traces, batch);
  Fit fit(objective, std::move(batch), wanted);
  result.scales.assign(objective.draft().layers().size(), 1);
  result.loss = fit.solve();
  for (std::size_t layer = 0; layer < result.scales.size(); ++layer) {
    for (const double factor : kScales) {
      fit.scale(layer, factor);
      const double loss = fit.solve();
      if (loss < result.loss) {
        result.loss = loss;
        result.scales[layer] = factor;
      }
    }
    fit.scale(layer, result.scales[layer]);
  }
  result.loss = fit.solve();
  return result;
}

}  // namespace outrider::train
