#include "data/score/draft_scorer.h"

#include <algorithm>
#include <utility>

#include "runtime/engine/forward_text.h"

namespace outrider::data {
namespace {

sampling::SequenceSampling plainly() {
  static const sampling::SamplerOptions options = {.temperature = 1};
  static const sampling::TokenCounts none{{}};
  return {options, 0, none};
}

bool is_plain(const sampling::SamplerOptions& options) {
  return options.temperature == 1 && !options.changes_logits() && !options.filters();
}

}  // namespace

void DraftScores::resize(std::size_t output) {
  choices.assign(output, -1);
  top.resize(output * kTop);
  for (auto* column : {&log_q, &leads, &entropies, &distances, &sampled_distances, &kept, &coupled})
    column->resize(output);
}

DraftScorer::DraftScorer(engine::Engine& target, engine::Engine& draft,
                         sampling::HeadVocabulary vocabulary, sampling::SamplerOptions sampler)
    : target_(target),
      draft_(draft),
      sampler_(std::move(sampler)),
      of_target_(sampling::make_chooser(target)),
      of_draft_(draft::make_feature_chooser(draft, std::move(vocabulary))) {}

DraftScores DraftScorer::score(const Trace& trace) {
  DraftScores scores;
  scores.resize(trace.output_tokens.size());
  std::vector<Token> text = trace.prompt_tokens;
  text.insert(text.end(), trace.output_tokens.begin(), trace.output_tokens.end() - 1);
  const std::size_t first = trace.prompt_tokens.size() - 1;  // row that an output token comes after
  const std::size_t read = std::min(text.size(), static_cast<std::size_t>(draft_.config().context));

  sampler_.temperature = trace.temperature;
  sampling::TokenCounts counts(std::span(trace.prompt_tokens)
                                   .first(sampler_.uses_counts() ? trace.prompt_tokens.size() : 0));
  const auto draft_cache = draft_.make_cache(static_cast<int>(read));
  engine::Pass of_draft;
  const engine::TextOptions options = {.logits_from = static_cast<int>(first)};
  const auto score_rows = [&](const engine::Pass& of_target, int at) {
    const auto begin = static_cast<std::size_t>(at);
    const auto rows = std::span(text).subspan(begin, of_target.rows.size());
    engine::forward_text(draft_, *draft_cache, of_draft, rows, options);
    const std::size_t wanted = std::max(first, begin);
    for (std::size_t row = wanted; row < begin + rows.size(); ++row) {
      const std::size_t output = row - first;
      if (sampler_.uses_counts() && output > 0) counts.add(trace.output_tokens[output - 1]);
      const int number = static_cast<int>(row - wanted);
      score_token(trace, output, {{&of_target.logits, number}, {&of_draft.logits, number}},
                  {sampler_, trace.sequence_seed, counts}, scores);
    }
  };
  engine::forward_text(target_, std::span(text).first(read), options, score_rows);
  return scores;
}

void DraftScorer::score_token(const Trace& trace, std::size_t output, const Rows& rows,
                              const sampling::SequenceSampling& sampling, DraftScores& scores) {
  const auto position = static_cast<std::int64_t>(trace.prompt_tokens.size() + output);
  const sampling::DraftQuestion question = {
      .row = rows.draft.row,
      .position = position,
      .choice = sampling::DraftQuestion::Choice::kTokenAndLead,
      .wants_best = true};
  of_draft_->answer(*rows.draft.of, sampling, {&question, 1}, {&drawn_, 1});
  const sampling::ChosenToken choice = drawn_.chosen;
  scores.choices[output] = choice.token;
  scores.log_q[output] = drawn_.softmax.of(drawn_.logit);
  scores.leads[output] = choice.lead;
  const draft::RowFeatures features = features_.of(drawn_.sums);
  std::copy(features.top.begin(), features.top.end(),
            scores.top.begin() + static_cast<std::ptrdiff_t>(output) * DraftScores::kTop);
  scores.entropies[output] = features.entropy;

  of_target_->distribute(rows.target, plainly(), p_);
  of_draft_->distribute(rows.draft, plainly(), q_);
  scores.distances[output] = static_cast<float>(1 - sampling::mean_acceptance(p_, q_));
  if (!is_plain(sampling.options)) {
    of_target_->distribute(rows.target, sampling, p_);
    of_draft_->distribute(rows.draft, sampling, q_);
  }
  scores.sampled_distances[output] = static_cast<float>(1 - sampling::mean_acceptance(p_, q_));
  scores.kept[output] = static_cast<float>(sampling::acceptance(p_, q_, choice.token));
  scores.coupled[output] = static_cast<float>(sampling::coupled_acceptance(p_, q_));
}

}  // namespace outrider::data
