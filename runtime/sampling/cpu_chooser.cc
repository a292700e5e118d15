#include "runtime/sampling/cpu_chooser.h"

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::sampling {

CpuChooser::CpuChooser(HeadVocabulary vocabulary, const engine::ScoreKernels& kernels,
                       std::optional<int> top, engine::Engine* engine)
    : Chooser(std::move(vocabulary)), kernels_(kernels), top_(top), engine_(engine) {
  readers_.push_back(new_reader());
}

CpuChooser::Reader CpuChooser::new_reader() const {
  Reader reader = {vocabulary().choice(), {}};
  if (top_) reader.scorer.emplace(*top_, static_cast<int>(vocabulary().size()), kernels_);
  return reader;
}

CpuChooser::Reader& CpuChooser::reader_of(int thread) {
  const std::lock_guard guard(lock_);
  while (readers_.size() <= static_cast<std::size_t>(thread)) readers_.push_back(new_reader());
  return readers_[static_cast<std::size_t>(thread)];
}

void CpuChooser::answer_one(const engine::Logits& of_pass, Reader& reader, AskedRow& row) const {
  const bool is_scored = row.scores != nullptr;
  if (!is_scored && !row.sampling) return;  // and no row is fetched from a GPU
  if (is_scored && !reader.scorer) throw std::logic_error("Chooser: made without scores");
  const std::span<const float> logits = this->row({&of_pass, row.row});
  if (is_scored) reader.scorer->score(logits, *row.scores);
  if (!row.sampling) return;
  // Scoring finds the arg-max too.
  row.token = is_scored && row.allowed.empty() && row.sampling->options.is_arg_max()
                  ? reader.scorer->most_likely()
                  : reader.choice.choose(*row.sampling, masked(logits, row.allowed, reader.masked),
                                         row.position);
}

void CpuChooser::answer(const engine::Logits& logits, std::span<AskedRow> rows) {
  if (rows.size() <= 1 || engine_ == nullptr) {
    for (AskedRow& row : rows) answer_one(logits, readers_[0], row);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_lock;
  const auto answer_share = [&](int thread) {
    try {
      Reader& reader = reader_of(thread);
      for (std::size_t i = next++; i < rows.size(); i = next++) answer_one(logits, reader, rows[i]);
    } catch (...) {
      const std::lock_guard guard(error_lock);
      error = std::current_exception();
    }
  };
  engine_->run_on_threads(std::ref(answer_share));
  if (error) std::rethrow_exception(error);
}

void CpuChooser::answer(const engine::Logits& logits, const SequenceSampling& sampling,
                        std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers) {
  for (std::size_t i = 0; i < questions.size(); ++i)
    answer_one(row({&logits, questions[i].row}), sampling, questions[i], answers[i]);
}

void CpuChooser::answer_one(std::span<const float> logits, const SequenceSampling& sampling,
                            const DraftQuestion& question, DraftAnswer& answer) {
  using Choice = DraftQuestion::Choice;
  Reader& reader = readers_.front();
  const auto logit_of = [&](Token token) { return logits[vocabulary().row_of(token)]; };
  switch (question.choice) {
    case Choice::kNone:
      break;
    case Choice::kToken:
      answer.chosen = {reader.choice.choose(sampling, logits, question.position), 0};
      answer.logit = logit_of(answer.chosen.token);
      break;
    case Choice::kTokenAndLead:
      answer.chosen = reader.choice.choose_with_lead(sampling, logits, question.position);
      answer.logit = logit_of(answer.chosen.token);
      break;
    case Choice::kUnnormalised:
      reader.choice.rank_unnormalised(sampling, logits, question.position, question.most,
                                      answer.ranked, question.reach);
      break;
    case Choice::kRanked:
      reader.choice.rank(sampling, logits, question.position, question.most, answer.ranked);
      break;
  }
  if (question.choice == Choice::kUnnormalised || question.choice == Choice::kRanked) {
    answer.logits.clear();
    for (const RankedToken& one : answer.ranked) answer.logits.push_back(logit_of(one.token));
  }
  if (!question.wants_softmax && !question.wants_best) return;
  if (!reader.scorer) throw std::logic_error("Chooser: made without scores");
  reader.scorer->sum(logits, question.wants_best, answer.sums);
  answer.softmax = {answer.sums.largest, math::log(answer.sums.rest.exp)};
}

}  // namespace outrider::sampling
