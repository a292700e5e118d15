#include "calibrate/ssd/ssd_trial.h"

#include <limits>
#include <utility>

#include "data/journal/entry_numbers.h"
#include "runtime/draft/model/draft_along.h"
#include "runtime/sampling/token_counts.h"

namespace outrider::calibrate {

data::Journal::Entry entry_of(const SsdTrial& trial) {
  data::EntryWriter numbers;
  numbers.add(trial.size());
  for (std::size_t t = 0; t < trial.size(); ++t)
    numbers.add(trial.counted[t] + 2 * trial.in_head[t] + 4 * trial.accepted[t])
        .add(trial.log_q[t]);
  return numbers.entry();
}

std::optional<SsdTrial> trial_of(const data::Journal::Entry& entry) {
  data::EntryReader numbers(entry);
  SsdTrial trial;
  for (std::size_t left = numbers.count(2); left > 0; --left) {
    const std::int32_t marks = numbers.integer();
    trial.counted.push_back(marks & 1);
    trial.in_head.push_back((marks >> 1) & 1);
    trial.accepted.push_back((marks >> 2) & 1);
    trial.log_q.push_back(numbers.real());
  }
  if (!numbers.is_at_end()) return std::nullopt;
  return trial;
}

SsdTrials::SsdTrials(engine::Engine& draft, std::vector<Token> head_tokens, int target_vocab)
    : draft_(draft),
      chooser_(sampling::make_draft_chooser(
          draft, {std::move(head_tokens), draft.num_logits(), target_vocab})) {}

SsdTrial SsdTrials::of(const Answer& answer) {
  const std::size_t first = static_cast<std::size_t>(answer.prompt) + 1;
  SsdTrial trial;
  for (std::size_t t = first; t < answer.tokens.size(); ++t) {
    trial.counted.push_back(!answer.loops_at(t));
    trial.in_head.push_back(chooser_->vocabulary().has(answer.tokens[t]));
  }
  trial.accepted.resize(trial.size());
  trial.log_q.resize(trial.size(), -std::numeric_limits<float>::infinity());
  if (trial.size() == 0) return trial;

  const sampling::TokenCounts counts(
      std::span(answer.tokens).first(answer.sampler.uses_counts() ? first - 1 : 0));
  draft::draft_along(
      draft_, *chooser_, {}, answer.tokens, answer.prompt,
      {answer.sampler, answer.sequence_seed, counts},
      [&](std::size_t t, const sampling::DraftAnswer& drawn, const engine::LogitsRow& /*row*/) {
        if (t < first || !trial.counted[t - first]) return;
        trial.accepted[t - first] = drawn.chosen.token == answer.tokens[t];
        trial.log_q[t - first] = drawn.softmax.of(drawn.logit);
      });
  return trial;
}

}  // namespace outrider::calibrate
