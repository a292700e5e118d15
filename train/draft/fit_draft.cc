#include "train/draft/fit_draft.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "runtime/base/error.h"
#include "runtime/engine/forward_text.h"

namespace outrider::train {
namespace {

constexpr std::array kScales = {1.0, 0.5, 0.25, 0.12, 0.06};
// Ridges as shares of the mean square of a state's number.
constexpr std::array kRidges = {1e-3, 1e-2, 1e-1};
constexpr std::int64_t kHeldOut = 4;  // one query in so many is held out, the last ones

/// The target's states after the final norm at the queries, [queries, width], on the processor.
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

/// The M [width, width] for which states Mᵀ is closest to `wanted`. Computed on the processor, where it stays.
at::Tensor least_squares(const at::Tensor& states, const at::Tensor& wanted, double ridge) {
  const at::Tensor x = states.to(at::kCPU, at::kDouble);
  at::Tensor squares = at::mm(x.t(), x);
  squares.diagonal().add_(ridge * squares.diagonal().mean());
  return at::linalg_solve(squares, at::mm(x.t(), wanted.to(at::kDouble))).t();
}

/// Queries [first, first + count).
QueryTargets some_of(const QueryTargets& targets, std::int64_t first, std::int64_t count) {
  return {targets.rows.narrow(0, first, count), targets.probabilities.narrow(0, first, count),
          targets.greedy.narrow(0, first, count), targets.taken.narrow(0, first, count)};
}

/// Tries scales of layers, and ridges: solved on most queries, compared on the others.
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

  /// @return the mean loss of the tokens that are held out
  double held_out_loss(double ridge) {
    DraftModel& draft = objective_.draft();
    const std::int64_t queries = wanted_.size(0);
    const std::int64_t held_out = std::max<std::int64_t>(1, queries / kHeldOut);
    const std::int64_t solved = std::max<std::int64_t>(1, queries - held_out);
    const at::Tensor states = normed();
    const at::Tensor map =
        least_squares(states.narrow(0, 0, solved), wanted_.narrow(0, 0, solved), ridge)
            .to(states.options());
    const at::Tensor loss =
        distillation(at::linear(states.narrow(0, queries - held_out, held_out), map), draft.head(),
                     some_of(batch_.targets, queries - held_out, held_out),
                     objective_.options().loss, objective_.options().precision);
    return loss.item<double>() / static_cast<double>(held_out);
  }

  /// Solves the map on all queries.
  void solve(double ridge) {
    objective_.draft().map().copy_(
        least_squares(normed().narrow(0, 0, wanted_.size(0)), wanted_, ridge));
  }

 private:
  at::Tensor normed() const {
    return objective_.draft().normed(batch_, objective_.options().precision);
  }

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
                           objective.options().most_context, objective.draft().head().device());
  if (batch.predicted.empty())
    throw InputError(
        fmt::format("--data: expected tokens with a loss outside of loops, found none in the first "
                    "{} traces to train on",
                    traces.size()));
  DraftFit best;
  best.tokens = std::ssize(batch.predicted);
  const at::Tensor wanted = target_states(target, traces, batch);
  Fit fit(objective, std::move(batch), wanted);
  best.scales.assign(objective.draft().layers().size(), kScales.front());
  best.ridge = kRidges.front();
  best.loss = fit.held_out_loss(best.ridge);
  for (const double ridge : kRidges) {
    const double loss = fit.held_out_loss(ridge);
    if (loss < best.loss) {
      best.loss = loss;
      best.ridge = ridge;
    }
  }
  for (std::size_t layer = 0; layer < best.scales.size(); ++layer) {
    for (const double factor : kScales) {
      fit.scale(layer, factor);
      const double loss = fit.held_out_loss(best.ridge);
      if (loss < best.loss) {
        best.loss = loss;
        best.scales[layer] = factor;
      }
    }
    fit.scale(layer, best.scales[layer]);
  }
  fit.solve(best.ridge);
  return best;
}

}  // namespace outrider::train
