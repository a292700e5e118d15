#include "runtime/sampling/elsewhere_chooser.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace outrider::sampling {

void list_changes(const SequenceSampling& sampling, std::vector<engine::LogitChange>& changes) {
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

ElsewhereChooser::ElsewhereChooser(std::unique_ptr<engine::RowReader> reader,
                                   std::unique_ptr<Chooser> on_host, bool has_scores)
    : reader_(std::move(reader)), on_host_(std::move(on_host)), has_scores_(has_scores) {}

void ElsewhereChooser::answer_drafts(const engine::Logits& logits, std::span<AskedRow> rows,
                                     std::span<const engine::AskedDraft> drafts) {
  if (logits.elsewhere() == nullptr) return on_host_->answer(logits, rows);
  questions_.assign(rows.size(), {});
  answers_.resize(rows.size());
  changes_.resize(std::max(changes_.size(), rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AskedRow& asked = rows[i];
    engine::RowQuestion& question = questions_[i];
    answers_[i].token = 0;  // of a row that is not chosen from, the last call's may be kRefused
    if (asked.scores != nullptr && !has_scores_)
      throw std::logic_error("Chooser: made without scores");
    question.row = asked.row;
    question.is_scored = asked.scores != nullptr;
    question.may_be_rejected = asked.may_be_rejected;
    if (!asked.sampling) continue;
    const SamplerOptions& options = asked.sampling->options;
    list_changes(*asked.sampling, changes_[i]);
    question.is_chosen = true;
    question.temperature = options.temperature;
    question.top_k = options.top_k;
    question.top_p = options.top_p;
    question.min_p = options.min_p;
    question.seed = asked.sampling->seed;
    question.position = asked.position;
    question.changes = changes_[i];
    question.allowed = asked.allowed;
  }
  reader_->answer_drafts(logits, questions_, answers_, drafts);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].sampling) rows[i].token = answers_[i].token;
    if (rows[i].scores == nullptr || answers_[i].token == engine::RowAnswer::kRefused) continue;
    report_scores(answers_[i].best, answers_[i].rest, answers_[i].largest, *rows[i].scores);
  }
}

}  // namespace outrider::sampling
