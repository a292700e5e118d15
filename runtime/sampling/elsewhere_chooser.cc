#include "runtime/sampling/elsewhere_chooser.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::sampling {
namespace {

using Choice = DraftQuestion::Choice;

/// A question with what a sequence's sampling says of it, but for the changes.
engine::RowQuestion question_of(int row, std::int64_t position, const SequenceSampling& sampling) {
  const SamplerOptions& options = sampling.options;
  return {.row = row,
          .temperature = options.temperature,
          .top_k = options.top_k,
          .top_p = options.top_p,
          .min_p = options.min_p,
          .seed = sampling.seed,
          .position = position};
}

/// Tokens of a ranking that answer a question.
int ranked_for(const DraftQuestion& question) {
  switch (question.choice) {
    case Choice::kNone:
      return 0;
    case Choice::kToken:
      return 1;
    case Choice::kTokenAndLead:
      return 2;
    case Choice::kUnnormalised:
    case Choice::kRanked:
      break;
  }
  return question.most;
}

/// What the penalties and the bias of a sequence change. @param changes  ascending tokens
void list_token_changes(const SequenceSampling& sampling,
                        std::vector<engine::LogitChange>& changes) {
  const SamplerOptions& options = sampling.options;
  changes.clear();
  if (!options.changes_logits()) return;
  for (const TokenCounts::Count& count : sampling.counts.counts()) {
    engine::LogitChange change{.token = count.token, .factor = options.repetition_penalty};
    if (count.in_text > 0)
      change.less = options.presence_penalty + options.frequency_penalty * count.in_text;
    changes.push_back(change);
  }
  const auto by_token = [](const engine::LogitChange& change, Token than) {
    return change.token < than;
  };
  for (const auto& [token, bias] : options.logit_bias) {
    auto place = std::lower_bound(changes.begin(), changes.end(), token, by_token);
    if (place == changes.end() || place->token != token)
      place = changes.insert(place, {.token = token});
    place->more = bias;
  }
}

}  // namespace

ElsewhereChooser::ElsewhereChooser(HeadVocabulary vocabulary,
                                   std::unique_ptr<engine::RowReader> reader,
                                   std::unique_ptr<Chooser> on_host, bool has_scores,
                                   std::unique_ptr<engine::AheadReader> ahead)
    : Chooser(std::move(vocabulary)),
      reader_(std::move(reader)),
      on_host_(std::move(on_host)),
      has_scores_(has_scores),
      ahead_(std::move(ahead)) {}

/// As the rows of the head that the tokens are of.
void ElsewhereChooser::list_changes(const SequenceSampling& sampling,
                                    std::vector<engine::LogitChange>& changes) const {
  list_token_changes(sampling, changes);
  std::erase_if(changes,
                [&](const engine::LogitChange& change) { return !vocabulary().has(change.token); });
  for (engine::LogitChange& change : changes)
    change.token = static_cast<Token>(vocabulary().row_of(change.token));
}

void ElsewhereChooser::answer_drafts(const engine::Logits& logits, std::span<AskedRow> rows,
                                     std::span<const engine::AskedDraft> drafts) {
  if (logits.elsewhere() == nullptr) return on_host_->answer(logits, rows);
  questions_.clear();
  found_.resize(std::max(found_.size(), rows.size()));
  changes_.resize(std::max(changes_.size(), rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AskedRow& asked = rows[i];
    found_[i].token = 0;  // of a row that is not chosen from, the last call's may be kRefused
    if (asked.scores != nullptr && !has_scores_)
      throw std::logic_error("Chooser: made without scores");
    engine::RowQuestion& question = questions_.emplace_back();
    if (asked.sampling) {
      question = question_of(asked.row, asked.position, *asked.sampling);
      list_changes(*asked.sampling, changes_[i]);
      question.is_chosen = true;
      question.changes = changes_[i];
      question.allowed = asked.allowed;
    }
    question.row = asked.row;
    question.is_scored = asked.scores != nullptr;
    question.may_be_rejected = asked.may_be_rejected;
  }
  reader_->answer_drafts(logits, questions_, std::span(found_).first(rows.size()), drafts);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].sampling) rows[i].token = found_[i].token;
    if (rows[i].scores == nullptr || found_[i].token == engine::RowAnswer::kRefused) continue;
    report_scores(found_[i].best, found_[i].rest, found_[i].largest, *rows[i].scores);
  }
}

void ElsewhereChooser::answer(const engine::Logits& logits, const SequenceSampling& sampling,
                              std::span<const DraftQuestion> questions,
                              std::span<DraftAnswer> answers) {
  if (logits.elsewhere() == nullptr) return on_host_->answer(logits, sampling, questions, answers);
  answer_elsewhere(sampling, questions, answers, [&](std::span<engine::RowAnswer> found) {
    reader_->answer(logits, questions_, found);
  });
}

void ElsewhereChooser::answer_ahead(const DraftAhead& ahead, const SequenceSampling& sampling,
                                    std::span<const DraftQuestion> questions,
                                    std::span<DraftAnswer> answers) {
  if (ahead_ == nullptr) return Chooser::answer_ahead(ahead, sampling, questions, answers);
  answer_elsewhere(sampling, questions, answers, [&](std::span<engine::RowAnswer> found) {
    ahead_->answer(ahead.cache, ahead.logits, ahead.before, ahead.form, ahead.states, questions_,
                   found, ahead.rows);
  });
}

/// @param answer  called with the answers to `questions_`, to be filled in
template <typename Answer>
void ElsewhereChooser::answer_elsewhere(const SequenceSampling& sampling,
                                        std::span<const DraftQuestion> questions,
                                        std::span<DraftAnswer> answers, const Answer& answer) {
  changes_.resize(std::max<std::size_t>(changes_.size(), 1));
  list_changes(sampling, changes_.front());
  questions_.clear();
  found_.resize(std::max(found_.size(), questions.size()));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const DraftQuestion& asked = questions[i];
    engine::RowQuestion& question =
        questions_.emplace_back(question_of(asked.row, asked.position, sampling));
    question.changes = changes_.front();
    question.ranked = ranked_for(asked);
    question.reach = asked.reach;
    question.is_summed = asked.wants_softmax || asked.wants_best;
    question.wants_best = asked.wants_best;
    std::swap(found_[i], answers[i].sums);
  }
  answer(std::span(found_).first(questions.size()));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    std::swap(found_[i], answers[i].sums);
    take(sampling, questions[i], answers[i]);
  }
}

/// Of the answer of the reader, which lies in `sums`.
void ElsewhereChooser::take(const SequenceSampling& sampling, const DraftQuestion& question,
                            DraftAnswer& answer) const {
  const engine::RowAnswer& found = answer.sums;
  if (question.wants_softmax || question.wants_best)
    answer.softmax = {found.largest, math::log(found.rest.exp)};
  if (question.choice == Choice::kNone) return;
  const auto token_of = [&](const engine::RankedChoice& one) {
    return vocabulary().token_of(static_cast<std::size_t>(one.token));
  };
  if (question.choice == Choice::kToken || question.choice == Choice::kTokenAndLead) {
    const engine::RankedChoice& first = found.ranked.at(0);
    answer.chosen = {token_of(first), 0};
    answer.logit = first.logit;
    if (question.choice == Choice::kTokenAndLead)
      answer.chosen.lead = found.ranked.size() < 2
                               ? std::numeric_limits<float>::infinity()
                               : static_cast<float>(first.value - found.ranked[1].value);
    return;
  }
  const bool is_normalised = question.choice == Choice::kRanked && sampling.options.temperature > 0;
  const double log_sum = is_normalised ? log_of_units(found.units) : 0;
  answer.ranked.clear();
  answer.logits.clear();
  for (const engine::RankedChoice& one : found.ranked) {
    answer.ranked.push_back({token_of(one), one.value, one.score - log_sum});
    answer.logits.push_back(one.logit);
  }
}

}  // namespace outrider::sampling
