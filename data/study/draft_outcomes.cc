#include "data/study/draft_outcomes.h"

#include <algorithm>
#include <utility>

#include "runtime/draft/model/draft_along.h"
#include "runtime/engine/forward_text.h"
#include "runtime/sampling/distribution.h"

namespace outrider::study {

DraftOutcomes::DraftOutcomes(engine::Engine& target, engine::Engine& draft,
                             std::vector<Token> head_tokens, draft::Verification verification)
    : target_(target),
      draft_(draft),
      of_target_(target.config().vocab),
      of_draft_(draft::make_feature_chooser(
          draft, {std::move(head_tokens), draft.config().vocab, target.config().vocab})),
      verification_(verification) {}

void DraftOutcomes::of(std::span<const Token> text, int prompt,
                       const sampling::SequenceSampling& sampling,
                       const OnDraftOutcome& on_outcome) {
  // At temperature 0 both verifications are the same event.
  const bool draws =
      verification_ == draft::Verification::kRejection && sampling.options.temperature > 0;
  if (draws) read_target(text, prompt);
  const auto vocab = static_cast<std::size_t>(target_.config().vocab);
  const auto first = static_cast<std::size_t>(prompt);
  sampling::TokenCounts counts = sampling.counts;
  const sampling::DraftQuestion question = {
      .choice = sampling::DraftQuestion::Choice::kTokenAndLead, .wants_best = true};
  draft::draft_along(
      draft_, *of_draft_, question, text, prompt, sampling,
      [&](std::size_t position, const sampling::DraftAnswer& answer, const engine::LogitsRow& of) {
        if (position == first) return;
        Token drawn = answer.chosen.token;
        float logit = answer.logit;
        bool is_accepted = drawn == text[position];
        if (draws) {
          if (sampling.options.uses_counts()) counts.add(text[position - 1]);
          const std::span<const float> row =
              std::span(rows_).subspan((position - first) * vocab, vocab);
          is_accepted = reject_or_keep(sampling.with(counts), position, row, of, drawn);
          logit = of_draft_->logit(of, drawn);
        }
        on_outcome({0, answer.softmax.of(logit), static_cast<std::int64_t>(position - first),
                    answer.chosen.lead, features_.of(answer.sums), drawn, text.first(position)},
                   is_accepted);
      });
}

void DraftOutcomes::read_target(std::span<const Token> text, int prompt) {
  rows_.clear();
  engine::forward_text(target_, text.first(text.size() - 1), {.logits_from = prompt - 1},
                       [&](const engine::Pass& pass, int begin) {
                         const int unwanted = std::max(0, prompt - 1 - begin);
                         for (int row = unwanted; row < std::ssize(pass.rows); ++row) {
                           const std::span<const float> logits = pass.row_logits(row - unwanted);
                           rows_.insert(rows_.end(), logits.begin(), logits.end());
                         }
                       });
}

bool DraftOutcomes::reject_or_keep(const sampling::SequenceSampling& sampling, std::size_t position,
                                   std::span<const float> target, const engine::LogitsRow& draft,
                                   Token& token) {
  const auto uniform = [&](RandomUse use) {
    return sampling::uniform(sampling.seed, static_cast<std::int64_t>(position), use);
  };
  of_target_.distribute(sampling, target, p_);
  of_draft_->distribute(draft, sampling, q_);
  token = sampling::draw(q_, uniform(RandomUse::kDraft));
  return uniform(RandomUse::kAccept) < sampling::acceptance(p_, q_, token);
}

}  // namespace outrider::study
