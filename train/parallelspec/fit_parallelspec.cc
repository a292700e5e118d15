#include "train/parallelspec/fit_parallelspec.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "train/draft/balance_layer.h"
#include "train/modules/size.h"
#include "train/parallelspec/choose_groups.h"

namespace outrider::train {
namespace {

constexpr double kLeastWeight = 1e-3;
constexpr std::int64_t kLeastTokens = 32'768;
constexpr std::int64_t kInputsOfLeast = 2 * 576;  // for which these are enough

// What the layer adds is measured on so many traces.
constexpr std::size_t kMeasuredTraces = 8;
constexpr std::uint64_t kHeldOut = 8;  // one of so many prompts

/// All real rows of some of the traces, a group at each answer token.
template <typename IsOne>
GroupBatch all_rows(const ParallelSpecObjective& objective, std::span<const data::Trace> traces,
                    IsOne is_one) {
  std::vector<GroupStarts> starts;
  for (const data::Trace& trace : traces)
    starts.push_back(is_one(trace) ? possible_starts(trace, objective.options().shape)
                                   : GroupStarts());
  return pack_groups(traces, starts, objective.options().shape, objective.drafter().head_rows(),
                     /*all_counted=*/false, objective.options().most_context,
                     objective.drafter().head().device());
}

/// @throws InputError if there are none among the rows of so many traces
void check_has_rows(std::int64_t rows, std::size_t traces) {
  if (rows > 0) return;
  throw InputError(
      fmt::format("--data: expected tokens with a loss outside of loops, found none in the first "
                  "{} traces to train on",
                  traces));
}

/// By its prompt, so that no other sample of it is fitted.
bool is_held_out(const data::Trace& trace) {
  Hasher hasher;
  hasher.add_text(trace.id);
  return hasher.low() % kHeldOut == 0;
}

}  // namespace

std::int64_t tokens_to_fit(ParallelSpecObjective& objective) {
  ParallelSpecDrafter* const drafter = objective.layer_drafter();
  if (drafter == nullptr || !drafter->fc().defined()) return kLeastTokens;
  return std::max(kLeastTokens, kLeastTokens * drafter->fc().size(1) / kInputsOfLeast);
}

std::int64_t ParallelSpecFitter::add_rows(std::span<const data::Trace> traces, bool held_out) {
  const GroupBatch batch = all_rows(
      objective_, traces, [&](const data::Trace& trace) { return is_held_out(trace) == held_out; });
  if (batch.groups.empty()) return 0;
  ParallelSpecDrafter& drafter = *objective_.layer_drafter();
  if (rows_ == 0) drafter.average_masks(batch);
  if (!drafter.fc().defined()) return std::ssize(batch.groups);
  const at::Tensor counted = batch.counted.select(1, 0).nonzero().squeeze(1);
  at::Tensor wanted = batch.wanted.select(1, 0).index_select(0, counted).to(at::kCPU, at::kDouble);
  if (drafter.final_norm().defined()) {
    const at::Tensor weight = drafter.final_norm().to(at::kCPU, at::kDouble);
    wanted = wanted / at::where(weight.abs() < kLeastWeight, at::ones_like(weight), weight);
  }
  LeastSquares& rows = held_out ? held_out_ : fitted_;
  rows.add(drafter.inputs(batch, Precision::kF32)
               .index_select(0, batch.real_rows.index_select(0, counted)),
           wanted);
  return std::ssize(batch.groups);
}

void ParallelSpecFitter::add(std::span<const data::Trace> traces) {
  const at::NoGradGuard no_gradients;
  traces_ += traces.size();
  for (const data::Trace& trace : traces)
    if (first_.size() < kMeasuredTraces) first_.push_back(trace);
  for (const bool held_out : {false, true}) rows_ += add_rows(traces, held_out);
}

void ParallelSpecFitter::scale_layer(double added) {
  ParallelSpecDrafter& drafter = *objective_.layer_drafter();
  const GroupBatch some = objective_.batch(first_);
  if (some.groups.empty()) return;
  const GroupStream parts = drafter.stream_parts(some, objective_.options().precision);
  const double wanted = added * root_mean_square(parts.begun);
  drafter.layer().o.mul_(wanted / root_mean_square(parts.attention));
  const GroupStream scaled = drafter.stream_parts(some, objective_.options().precision);
  drafter.layer().down.mul_(wanted / root_mean_square(scaled.feed_forward));
  balance_layer(drafter.layer());
}

ParallelSpecFit ParallelSpecFitter::finish(double added) {
  const at::NoGradGuard no_gradients;
  check_has_rows(rows_, traces_);
  ParallelSpecFit fit;
  fit.rows = rows_;
  if (at::Tensor& fc = objective_.layer_drafter()->fc(); fc.defined()) {
    if (fitted_.rows() == 0) std::swap(fitted_, held_out_);
    const RidgeFit solved = fit_ridge(std::move(fitted_), held_out_);
    fc.copy_(solved.solution.t());
    fit.ridge = solved.ridge;
    fit.explained = solved.explained;
  }
  scale_layer(added);
  return fit;
}

void fit_masks(ParallelSpecObjective& objective, std::span<const data::Trace> traces) {
  const at::NoGradGuard no_gradients;
  const GroupBatch batch = all_rows(objective, traces, [](const data::Trace&) { return true; });
  check_has_rows(std::ssize(batch.groups), traces.size());
  objective.drafter().average_masks(batch);
}

}  // namespace outrider::train
