#include "calibrate/draft/draft_trial.h"

#include <algorithm>
#include <limits>

#include "runtime/base/math.h"
#include "runtime/engine/forward_text.h"
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

  const bool counts_tokens = answer.sampler.uses_counts();
  sampling::TokenCounts counts(
      std::span(answer.tokens).first(counts_tokens ? static_cast<std::size_t>(answer.prompt) : 0));
  const std::size_t forwarded =
      std::min(answer.tokens.size() - 1, static_cast<std::size_t>(draft_.config().context));
  engine::forward_text(
      draft_, std::span(answer.tokens).first(forwarded), {.logits_from = answer.prompt},
      [&](const engine::Pass& pass, int begin) {
        for (int row = std::max(0, answer.prompt - begin); row < std::ssize(pass.rows); ++row) {
          const auto t = static_cast<std::size_t>(begin + row) + 1;  // the token to be drafted
          if (counts_tokens) counts.add(answer.tokens[t - 1]);
          if (!trial.counted[t - first]) continue;
          const int after_prompt = std::max(0, answer.prompt - begin);
          const auto logits = pass.row_logits(row - after_prompt);
          const Token token = choice_.choose({answer.sampler, answer.sequence_seed, counts}, logits,
                                             static_cast<std::int64_t>(t));
          trial.accepted[t - first] = token == answer.tokens[t];
          trial.log_q[t - first] = probability_.log_of(logits, row_of(token));
        }
      });
  return trial;
}

Replay rounds_of(const DraftTrial& trial, const RoundLimits& limits) {
  const double least = math::log(limits.threshold);
  Replay rounds;
  for (std::size_t next = 0; next < trial.size();) {
    if (!trial.counted[next]) {
      ++next;
      continue;
    }
    std::size_t end = next;  // of what counts
    while (end < trial.size() && trial.counted[end]) ++end;
    // The target adds a token of its own, which is never past the answer's end.
    const std::size_t most =
        std::min(static_cast<std::size_t>(limits.length), trial.size() - next - 1);
    std::size_t drafted = 0, accepted = 0;
    while (drafted < most) {
      const std::size_t at = next + drafted;
      if (accepted == drafted && trial.accepted[at]) ++accepted;
      ++drafted;
      if (static_cast<double>(trial.log_q[at]) < least) break;
    }
    const std::size_t tokens = std::min(accepted + 1, end - next);
    rounds.add_pass(static_cast<int>(drafted), static_cast<int>(accepted),
                    static_cast<int>(tokens));
    next += tokens;
  }
  return rounds;
}

}  // namespace outrider::calibrate
