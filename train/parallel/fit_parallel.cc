#include "train/parallel/fit_parallel.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "train/draft/balance_layer.h"
#include "train/modules/size.h"
#include "train/parallel/choose_groups.h"

namespace outrider::train {
namespace {

constexpr double kFcRidge = 1e-3;  // of the mean square of each input
constexpr double kLeastWeight = 1e-3;

// What the layer adds is measured on so many traces.
constexpr std::size_t kMeasuredTraces = 8;

/// All real rows of the traces, a group at each answer token.
/// @throws InputError if there are none
GroupBatch all_rows(const ParallelObjective& objective, std::span<const data::Trace> traces) {
  std::vector<GroupStarts> starts;
  for (const data::Trace& trace : traces)
    starts.push_back(possible_starts(trace, objective.options().shape));
  GroupBatch batch = pack_groups(
      traces, starts, objective.options().shape, objective.drafter().head_rows(),
      /*all_counted=*/false, objective.options().most_context, objective.drafter().head().device());
  if (batch.groups.empty())
    throw InputError(
        fmt::format("--data: expected tokens with a loss outside of loops, found none in the first "
                    "{} traces to train on",
                    traces.size()));
  return batch;
}

/// Solves fc, on the processor; @return the share of the variance that it explains
double solve_fc(ParallelDrafter& drafter, const GroupBatch& batch) {
  const at::Tensor counted = batch.counted.select(1, 0).nonzero().squeeze(1);
  const at::Tensor x = drafter.inputs(batch, Precision::kF32)
                           .index_select(0, batch.real_rows.index_select(0, counted))
                           .to(at::kCPU, at::kDouble);
  at::Tensor wanted = batch.wanted.select(1, 0).index_select(0, counted).to(at::kCPU, at::kDouble);
  if (drafter.final_norm().defined()) {
    const at::Tensor weight = drafter.final_norm().to(at::kCPU, at::kDouble);
    wanted = wanted / at::where(weight.abs() < kLeastWeight, at::ones_like(weight), weight);
  }
  at::Tensor squares = at::mm(x.t(), x);
  squares.diagonal().mul_(1 + kFcRidge).add_(1e-12);
  const at::Tensor solved = at::linalg_solve(squares, at::mm(x.t(), wanted));
  drafter.fc().copy_(solved.t());
  const at::Tensor left = (wanted - at::mm(x, solved)).square().sum();
  const at::Tensor spread = (wanted - wanted.mean(0)).square().sum();
  return 1 - (left / spread).item<double>();
}

}  // namespace

ParallelFit fit_parallel(ParallelObjective& objective, std::span<const data::Trace> traces,
                         double added) {
  const at::NoGradGuard no_gradients;
  ParallelDrafter& drafter = *objective.layer_drafter();
  const GroupBatch batch = all_rows(objective, traces);
  ParallelFit fit;
  fit.rows = std::ssize(batch.groups);
  if (drafter.fc().defined()) fit.explained = solve_fc(drafter, batch);
  drafter.average_masks(batch);
  const GroupBatch some = objective.batch(traces.first(std::min(kMeasuredTraces, traces.size())));
  if (some.groups.empty()) return fit;
  const GroupStream parts = drafter.stream_parts(some, objective.options().precision);
  const double wanted = added * root_mean_square(parts.begun);
  drafter.layer().o.mul_(wanted / root_mean_square(parts.attention));
  const GroupStream scaled = drafter.stream_parts(some, objective.options().precision);
  drafter.layer().down.mul_(wanted / root_mean_square(scaled.feed_forward));
  balance_layer(drafter.layer());
  return fit;
}

void fit_masks(ParallelObjective& objective, std::span<const data::Trace> traces) {
  const at::NoGradGuard no_gradients;
  objective.drafter().average_masks(all_rows(objective, traces));
}

}  // namespace outrider::train
