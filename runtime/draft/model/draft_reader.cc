#include "runtime/draft/model/draft_reader.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"
#include "runtime/sampling/elsewhere_chooser.h"

namespace outrider::draft {
namespace {

using Choice = DraftQuestion::Choice;

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

engine::RowReaderOptions options_of(const DraftVocabulary& vocabulary, int top) {
  return {
      .top = top, .width = static_cast<int>(vocabulary.size()), .tokens = vocabulary.head_tokens()};
}

}  // namespace

DraftReader::DraftReader(DraftVocabulary vocabulary, const engine::ScoreKernels& kernels, int top,
                         std::unique_ptr<engine::RowReader> elsewhere,
                         std::unique_ptr<engine::AheadReader> ahead)
    : vocabulary_(std::move(vocabulary)),
      choice_(vocabulary_.choice()),
      scorer_(top, static_cast<int>(vocabulary_.size()), kernels),
      elsewhere_(std::move(elsewhere)),
      ahead_(std::move(ahead)) {}

std::unique_ptr<engine::RowReader> DraftReader::make_row_reader(engine::Engine& engine,
                                                                const DraftVocabulary& vocabulary,
                                                                int top) {
  return engine.make_row_reader(options_of(vocabulary, top));
}

std::unique_ptr<engine::AheadReader> DraftReader::make_ahead_reader(
    engine::Engine& engine, const DraftVocabulary& vocabulary, int top) {
  return engine.make_ahead_reader(options_of(vocabulary, top));
}

void DraftReader::answer(const engine::Logits& logits, const sampling::SequenceSampling& sampling,
                         std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers) {
  if (logits.elsewhere() == nullptr || elsewhere_ == nullptr) {
    for (std::size_t i = 0; i < questions.size(); ++i)
      answer_on_host(numbers({&logits, questions[i].row}), sampling, questions[i], answers[i]);
    return;
  }
  answer_elsewhere(sampling, questions, answers, [&](std::span<engine::RowAnswer> found) {
    elsewhere_->answer(logits, questions_, found);
  });
}

void DraftReader::answer_ahead(const DraftAhead& ahead, const sampling::SequenceSampling& sampling,
                               std::span<const DraftQuestion> questions,
                               std::span<DraftAnswer> answers) {
  answer_elsewhere(sampling, questions, answers, [&](std::span<engine::RowAnswer> found) {
    ahead_->answer(ahead.cache, ahead.logits, ahead.before, ahead.form, ahead.state, questions_,
                   found, ahead.rows);
  });
}

/// @param answer  called with the answers to `questions_`, to be filled in
template <typename Answer>
void DraftReader::answer_elsewhere(const sampling::SequenceSampling& sampling,
                                   std::span<const DraftQuestion> questions,
                                   std::span<DraftAnswer> answers, const Answer& answer) {
  list_changes(sampling);
  const sampling::SamplerOptions& options = sampling.options;
  questions_.clear();
  if (found_.size() < questions.size()) found_.resize(questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const DraftQuestion& asked = questions[i];
    questions_.push_back({.row = asked.row,
                          .temperature = options.temperature,
                          .top_k = options.top_k,
                          .top_p = options.top_p,
                          .min_p = options.min_p,
                          .seed = sampling.seed,
                          .position = asked.position,
                          .changes = changes_,
                          .ranked = ranked_for(asked),
                          .reach = asked.reach,
                          .is_summed = asked.wants_softmax || asked.wants_best,
                          .wants_best = asked.wants_best});
    std::swap(found_[i], answers[i].sums);
  }
  answer(std::span(found_).first(questions.size()));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    std::swap(found_[i], answers[i].sums);
    take(sampling, questions[i], answers[i]);
  }
}

void DraftReader::answer_on_host(std::span<const float> logits,
                                 const sampling::SequenceSampling& sampling,
                                 const DraftQuestion& question, DraftAnswer& answer) {
  const auto logit_of = [&](Token token) { return logits[vocabulary_.row_of(token)]; };
  switch (question.choice) {
    case Choice::kNone:
      break;
    case Choice::kToken:
      answer.chosen = {choice_.choose(sampling, logits, question.position), 0};
      answer.logit = logit_of(answer.chosen.token);
      break;
    case Choice::kTokenAndLead:
      answer.chosen = choice_.choose_with_lead(sampling, logits, question.position);
      answer.logit = logit_of(answer.chosen.token);
      break;
    case Choice::kUnnormalised:
      choice_.rank_unnormalised(sampling, logits, question.position, question.most, answer.ranked,
                                question.reach);
      break;
    case Choice::kRanked:
      choice_.rank(sampling, logits, question.position, question.most, answer.ranked);
      break;
  }
  if (question.choice == Choice::kUnnormalised || question.choice == Choice::kRanked) {
    answer.logits.clear();
    for (const sampling::RankedToken& one : answer.ranked)
      answer.logits.push_back(logit_of(one.token));
  }
  if (!question.wants_softmax && !question.wants_best) return;
  scorer_.sum(logits, question.wants_best, answer.sums);
  answer.softmax = {answer.sums.largest, math::log(answer.sums.rest.exp)};
}

/// As the rows of the head that the tokens are of.
void DraftReader::list_changes(const sampling::SequenceSampling& sampling) {
  sampling::list_changes(sampling, changes_);
  std::erase_if(changes_,
                [&](const engine::LogitChange& change) { return !vocabulary_.has(change.token); });
  for (engine::LogitChange& change : changes_)
    change.token = static_cast<Token>(vocabulary_.row_of(change.token));
}

/// Of the answer of the reader elsewhere, which lies in `sums`.
void DraftReader::take(const sampling::SequenceSampling& sampling, const DraftQuestion& question,
                       DraftAnswer& answer) const {
  const engine::RowAnswer& found = answer.sums;
  if (question.wants_softmax || question.wants_best)
    answer.softmax = {found.largest, math::log(found.rest.exp)};
  if (question.choice == Choice::kNone) return;
  const auto token_of = [&](const engine::RankedChoice& one) {
    return vocabulary_.token_of(static_cast<std::size_t>(one.token));
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
  const double log_sum = is_normalised ? sampling::log_of_units(found.units) : 0;
  answer.ranked.clear();
  answer.logits.clear();
  for (const engine::RankedChoice& one : found.ranked) {
    answer.ranked.push_back({token_of(one), one.value, one.score - log_sum});
    answer.logits.push_back(one.logit);
  }
}

}  // namespace outrider::draft
