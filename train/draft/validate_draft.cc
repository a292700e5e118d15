#include "train/draft/validate_draft.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <string>

#include "train/draft/accepted_rounds.h"
#include "train/draft/coupled_acceptance.h"
#include "train/draft/frequent_tokens.h"
#include "train/losses/stored_targets.h"
#include "train/trainer/mean.h"

namespace outrider::train {
namespace {

constexpr int kDraftLength = 4;
constexpr std::int64_t kRowsOfLogits = 256;
constexpr std::size_t kTokensAtATime = 4096;

/// Scores of each output token of a trace: whether the draft agrees (how likely it draws the same
/// token above temperature 0), and the divergence.
struct TraceScores {
  std::vector<double> same;
  std::vector<double> kl;
};

/// Scores of the queries [first, first + count) go to `scores`.
void score_rows(const at::Tensor& states, const DraftModel& draft, const PackedBatch& batch,
                std::span<const data::Trace> traces, std::int64_t first, std::int64_t count,
                std::vector<TraceScores>& scores) {
  const at::Tensor logits = product(states.narrow(0, first, count), draft.head());
  const StoredTargets stored = stored_targets(batch.targets, first, count, at::kFloat);
  const at::Tensor log_q = logits.log_softmax(-1);
  const at::Tensor known = stored.known.to(at::kFloat);
  const at::Tensor known_log_q = log_q.gather(1, stored.rows);
  const at::Tensor q = known_log_q.exp() * known;
  const at::Tensor q_rest = (1 - q.sum(-1, true)).clamp_min(1e-7);
  const at::Tensor& p = stored.probabilities;
  const at::Tensor kl = (at::xlogy(p, p) - p * known_log_q).sum(-1) +
                        (at::xlogy(stored.rest, stored.rest) - stored.rest * q_rest.log()).sum(-1);
  const at::Tensor agrees =
      logits.argmax(-1).eq(batch.targets.greedy.narrow(0, first, count)).to(at::kFloat);
  const at::Tensor drawn = coupled_acceptance(p, stored.rest, q, q_rest);
  const at::Tensor all = at::stack({kl, agrees, drawn}).cpu();
  const float* kl_of = all.const_data_ptr<float>();
  const float* agrees_of = kl_of + count;
  const float* drawn_of = agrees_of + count;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto [index, output] = batch.predicted[static_cast<std::size_t>(first + i)];
    const auto trace = static_cast<std::size_t>(index);
    const bool is_greedy = traces[trace].temperature == 0;
    scores[trace].same[static_cast<std::size_t>(output)] =
        static_cast<double>(is_greedy ? agrees_of[i] : drawn_of[i]);
    scores[trace].kl[static_cast<std::size_t>(output)] = static_cast<double>(kl_of[i]);
  }
}

std::vector<TraceScores> score(const DraftModel& draft, std::span<const data::Trace> traces,
                               int most_context) {
  std::vector<TraceScores> scores;
  for (const data::Trace& trace : traces)
    scores.push_back({std::vector<double>(trace.output_tokens.size()),
                      std::vector<double>(trace.output_tokens.size())});
  const PackedBatch batch =
      pack(traces, draft.head_rows(), Predicted::kAll, most_context, draft.head().device());
  if (batch.predicted.empty()) return scores;
  const at::Tensor states = draft.mapped(batch, Precision::kF32);
  const auto queries = std::ssize(batch.predicted);
  for (std::int64_t first = 0; first < queries; first += kRowsOfLogits)
    score_rows(states, draft, batch, traces, first, std::min(kRowsOfLogits, queries - first),
               scores);
  return scores;
}

/// What all traces sum up to.
class Figures {
 public:
  void add(const data::Trace& trace, const TraceScores& scores) {
    std::vector<std::uint8_t> counted;
    for (std::size_t i = 0; i < scores.same.size(); ++i) {
      const bool counts =
          trace.in_loop[i] == 0 && trace.loss_mask[trace.prompt_tokens.size() + i] != 0;
      counted.push_back(counts);
      if (!counts) continue;
      kl_.add(scores.kl[i]);
      if (trace.temperature == 0) tasks_[trace.task].add(scores.same[i]);
      (trace.temperature == 0 ? agreement_ : acceptance_).add(scores.same[i]);
    }
    const bool is_greedy = trace.temperature == 0;
    const AcceptedRounds rounds = is_greedy ? greedy_rounds(scores.same, counted, kDraftLength)
                                            : expected_rounds(scores.same, counted, kDraftLength);
    AcceptedRounds& sum = is_greedy ? greedy_ : sampled_;
    sum.accepted += rounds.accepted;
    sum.rounds += rounds.rounds;
  }

  Validation validation(double covered) const {
    Validation result;
    const auto add = [&](std::string name, double value) {
      result.figures.emplace_back(std::move(name), value);
    };
    Mean of_kinds, of_tasks;
    if (greedy_.rounds > 0) {
      for (const auto& [task, mean] : tasks_) of_tasks.add(mean.value());
      add("agreement", agreement_.value());
      add("agreement_mean", of_tasks.value());
      for (const auto& [task, mean] : tasks_) add("agreement." + task, mean.value());
      add("accepted_t0", greedy_.mean());
      of_kinds.add(greedy_.mean());
    }
    if (sampled_.rounds > 0) {
      add("acceptance", acceptance_.value());
      add("accepted_t1", sampled_.mean());
      of_kinds.add(sampled_.mean());
    }
    add("coverage", covered);
    add("kl", kl_.value());
    result.score = of_kinds.value();
    return result;
  }

 private:
  std::map<std::string, Mean> tasks_;
  Mean agreement_, acceptance_, kl_;
  AcceptedRounds greedy_, sampled_;
};

}  // namespace

Validation validate_draft(const DraftModel& draft, std::span<const data::Trace> traces,
                          int most_context) {
  const at::NoGradGuard no_gradients;
  Figures figures;
  for (std::size_t begin = 0; begin < traces.size();) {
    std::size_t end = begin, tokens = 0;
    while (end < traces.size() && (end == begin || tokens < kTokensAtATime))
      tokens += traces[end++].positions();
    const auto some = traces.subspan(begin, end - begin);
    const std::vector<TraceScores> scores = score(draft, some, most_context);
    for (std::size_t i = 0; i < some.size(); ++i) figures.add(some[i], scores[i]);
    begin = end;
  }
  return figures.validation(coverage(traces, draft.head_rows()));
}

}  // namespace outrider::train
