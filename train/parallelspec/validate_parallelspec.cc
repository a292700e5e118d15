#include "train/parallelspec/validate_parallelspec.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "runtime/cost/agreed_rounds.h"
#include "train/draft/accepted_rounds.h"
#include "train/draft/coupled_acceptance.h"
#include "train/draft/frequent_tokens.h"
#include "train/losses/stored_targets.h"
#include "train/parallelspec/choose_groups.h"
#include "train/trainer/mean.h"

namespace outrider::train {
namespace {

constexpr int kStretch = 64;
constexpr std::size_t kTracesAtATime = 8;
constexpr double kLeastMass = 1e-7;

/// [groups], on the processor: whether the slot's best token is the target's choice (at temperature 0), and how likely both
/// draw the same token.
struct SlotScores {
  at::Tensor agrees, drawn;
};

SlotScores score_slot(const at::Tensor& states, const at::Tensor& head,
                      const QueryTargets& targets) {
  const at::Tensor logits = product(states, head.to(states.scalar_type())).to(at::kFloat);
  const StoredTargets stored = stored_targets(targets, 0, states.size(0), at::kFloat);
  const at::Tensor q =
      logits.log_softmax(-1).gather(1, stored.rows).exp() * stored.known.to(at::kFloat);
  const at::Tensor q_rest = (1 - q.sum(-1, true)).clamp_min(kLeastMass);
  return {logits.argmax(-1).eq(targets.greedy).to(at::kFloat).cpu(),
          coupled_acceptance(stored.probabilities, stored.rest, q, q_rest).cpu()};
}

/// What all traces sum up to.
class ParallelSpecFigures {
 public:
  explicit ParallelSpecFigures(const ParallelSpecShape& shape)
      : tokens_per_pass_(shape.masks > 0 ? "tokens_per_pass" : "tokens_per_pass_of_one_draft"),
        agreement_(static_cast<std::size_t>(shape.slots())),
        acceptance_(agreement_.size()) {}

  /// @param scores  [groups of the trace][slots]
  void add(const data::Trace& trace, const GroupStarts& starts,
           const std::vector<std::vector<double>>& scores) {
    const bool is_greedy = trace.temperature == 0;
    const auto tokens = std::ssize(trace.output_tokens);
    const auto slots_at = [&](std::size_t group) {
      return static_cast<std::size_t>(
          std::min<std::int64_t>(std::ssize(agreement_), tokens - starts[group]));
    };
    for (std::size_t group = 0; group < starts.size(); ++group) {
      if (!has_loss(trace, static_cast<std::size_t>(starts[group]))) continue;
      const std::span slots = std::span(scores[group]).first(slots_at(group));
      for (std::size_t slot = 0; slot < slots.size(); ++slot)
        (is_greedy ? agreement_ : acceptance_)[slot].add(slots[slot]);
      if (!is_greedy) sampled_.add(1 + expected_run(slots));
    }
    if (!is_greedy) return;
    const auto is_accepted = [&](std::size_t group, std::size_t slot) {
      return slot < slots_at(group) && scores[group][slot] != 0;
    };
    for (const auto& [group, accepted] : cost::agreed_rounds(starts.size(), is_accepted)) {
      if (!has_loss(trace, static_cast<std::size_t>(starts[group]))) continue;
      greedy_.add(static_cast<double>(accepted + 1));
      tasks_[trace.task].add(static_cast<double>(accepted + 1));
    }
  }

  Validation validation(double covered) const {
    Validation result;
    Mean of_kinds;
    const auto add = [&](std::string name, double value) {
      result.figures.emplace_back(std::move(name), value);
    };
    const auto add_slots = [&](const char* name, const std::vector<Mean>& slots) {
      for (std::size_t slot = 0; slot < slots.size(); ++slot)
        add(fmt::format("{}.{}", name, slot), slots[slot].value());
    };
    if (greedy_.count > 0) {
      add(tokens_per_pass_ + "_t0", greedy_.value());
      for (const auto& [task, mean] : tasks_) add(tokens_per_pass_ + "." + task, mean.value());
      add_slots("agreement", agreement_);
      of_kinds.add(greedy_.value());
    }
    if (sampled_.count > 0) {
      add(tokens_per_pass_ + "_t1", sampled_.value());
      add_slots("acceptance", acceptance_);
      of_kinds.add(sampled_.value());
    }
    add("coverage", covered);
    result.score = of_kinds.value();
    return result;
  }

 private:
  std::string tokens_per_pass_;
  std::vector<Mean> agreement_, acceptance_;
  Mean greedy_, sampled_;
  std::map<std::string, Mean> tasks_;
};

void add_scores(const GroupDrafter& drafter, std::span<const data::Trace> traces, int most_context,
                Precision precision, ParallelSpecFigures& figures) {
  std::vector<GroupStarts> starts;
  for (const data::Trace& trace : traces)
    starts.push_back(a_stretch(possible_starts(trace, drafter.shape()),
                               static_cast<int>(trace.output_tokens.size()), kStretch,
                               random_of(trace, 0)));
  const GroupBatch batch = pack_groups(traces, starts, drafter.shape(), drafter.head_rows(),
                                       /*all_counted=*/true, most_context, drafter.head().device());
  if (batch.groups.empty()) return;
  const at::Tensor states = operand(drafter.outputs(batch, precision), precision);
  const at::Tensor head = operand(drafter.head(), precision);
  std::vector<std::vector<std::vector<double>>> scores(traces.size());
  for (const auto& [trace, start] : batch.groups)
    scores[static_cast<std::size_t>(trace)].push_back({});
  for (std::size_t slot = 0; slot < batch.targets.size(); ++slot) {
    const SlotScores found = score_slot(
        states.select(1, static_cast<std::int64_t>(slot)).contiguous(), head, batch.targets[slot]);
    std::vector<std::size_t> next(traces.size(), 0);
    for (std::size_t group = 0; group < batch.groups.size(); ++group) {
      const auto trace = static_cast<std::size_t>(batch.groups[group].first);
      const at::Tensor& of = traces[trace].temperature == 0 ? found.agrees : found.drawn;
      scores[trace][next[trace]++].push_back(
          static_cast<double>(of.const_data_ptr<float>()[group]));
    }
  }
  for (std::size_t i = 0; i < traces.size(); ++i) figures.add(traces[i], starts[i], scores[i]);
}

}  // namespace

Validation validate_parallelspec(const GroupDrafter& drafter, std::span<const data::Trace> traces,
                                 int most_context, Precision precision) {
  const at::NoGradGuard no_gradients;
  ParallelSpecFigures figures(drafter.shape());
  for (std::size_t begin = 0; begin < traces.size(); begin += kTracesAtATime)
    add_scores(drafter, traces.subspan(begin, std::min(kTracesAtATime, traces.size() - begin)),
               most_context, precision, figures);
  return figures.validation(coverage(traces, drafter.head_rows()));
}

}  // namespace outrider::train
