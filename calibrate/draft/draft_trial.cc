#include "calibrate/draft/draft_trial.h"

#include <algorithm>
#include <limits>

#include "runtime/draft/model/draft_along.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::calibrate {

DraftTrials::DraftTrials(engine::Engine& draft, const std::vector<Token>& head_tokens)
    : draft_(draft),
      head_tokens_(head_tokens),
      choice_(head_tokens.empty() ? sampling::TokenChoice(draft.num_logits())
                                  : sampling::TokenChoice(head_tokens)),
      probability_(draft.num_logits(), draft.score_kernels()) {}

bool DraftTrials::has(Token token) const {
  return head_tokens_.empty() ? token < draft_.num_logits()
                              : std::binary_search(head_tokens_.begin(), head_tokens_.end(), token);
}

std::size_t DraftTrials::row_of(Token token) const {
  if (head_tokens_.empty()) return static_cast<std::size_t>(token);
  const auto row = std::lower_bound(head_tokens_.begin(), head_tokens_.end(), token);
  return static_cast<std::size_t>(row - head_tokens_.begin());
}

DraftTrial DraftTrials::of(const Answer& answer) {
  const std::size_t first = static_cast<std::size_t>(answer.prompt) + 1;
  DraftTrial trial;
  for (std::size_t t = first; t < answer.tokens.size(); ++t) {
    trial.counted.push_back(!answer.loops_at(t));
    trial.in_head.push_back(has(answer.tokens[t]));
  }
  trial.accepted.resize(trial.size());
  trial.log_q.resize(trial.size(), -std::numeric_limits<float>::infinity());
  if (trial.size() == 0) return trial;

  const sampling::TokenCounts counts(
      std::span(answer.tokens).first(answer.sampler.uses_counts() ? first - 1 : 0));
  draft::draft_along(
      draft_, choice_, static_cast<std::size_t>(draft_.num_logits()), answer.tokens, answer.prompt,
      {answer.sampler, answer.sequence_seed, counts},
      [&](std::size_t t, sampling::ChosenToken drawn, std::span<const float> logits) {
        if (t < first || !trial.counted[t - first]) return;
        trial.accepted[t - first] = drawn.token == answer.tokens[t];
        trial.log_q[t - first] = probability_.log_of(logits, row_of(drawn.token));
      });
  return trial;
}

}  // namespace outrider::calibrate
