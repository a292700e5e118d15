#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft/model/draft_vocabulary.h"
#include "runtime/draft/model/token_probability.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/row_scorer.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::draft {

/// What a drafter asks about a row of its model's logits.
struct DraftQuestion {
  enum class Choice : std::uint8_t {
    kNone,
    kToken,         // as TokenChoice::choose
    kTokenAndLead,  // as TokenChoice::choose_with_lead
    kUnnormalised,  // as TokenChoice::rank_unnormalised
    kRanked,        // as TokenChoice::rank
  };

  int row = 0;                // of the pass's logits
  std::int64_t position = 0;  // of the token after it
  Choice choice = Choice::kToken;
  int most = 1;                                            // tokens of a ranking
  double reach = std::numeric_limits<double>::infinity();  // kUnnormalised
  bool wants_softmax = true;
  bool wants_best = false;  // the largest logits, as many as the reader keeps; with the softmax
};

struct DraftAnswer {
  sampling::ChosenToken chosen = {};               // kToken, kTokenAndLead
  float logit = 0;                                 // of the chosen token
  std::vector<sampling::RankedToken> ranked = {};  // kUnnormalised, kRanked: best first
  std::vector<float> logits = {};                  // [ranked]
  LogSoftmax softmax = {};                         // of the row
  engine::RowAnswer sums = {};                     // likewise: the best are rows of the head
};

/// Reads rows of a draft model's logits where its engine left them: what drafters ask, with the bits of the processor.
/// Rows that are asked about together are read side by side on a device; on the host one after the other.
class DraftReader {
 public:
  /// @param kernels    for rows on the host; must outlive it
  /// @param top        largest logits that are kept, at most the vocabulary
  /// @param elsewhere  for rows that are not, as of `make_row_reader`; null: all are
  /// @param ahead      as of `make_ahead_reader`; null: nothing is drafted ahead
  DraftReader(DraftVocabulary vocabulary, const engine::ScoreKernels& kernels, int top,
              std::unique_ptr<engine::RowReader> elsewhere,
              std::unique_ptr<engine::AheadReader> ahead = nullptr);

  /// What reads the rows that an engine leaves elsewhere; null: it leaves none.
  static std::unique_ptr<engine::RowReader> make_row_reader(engine::Engine& engine,
                                                            const DraftVocabulary& vocabulary,
                                                            int top);

  /// What drafts ahead with an engine; null: nothing does.
  static std::unique_ptr<engine::AheadReader> make_ahead_reader(engine::Engine& engine,
                                                                const DraftVocabulary& vocabulary,
                                                                int top);

  const DraftVocabulary& vocabulary() const { return vocabulary_; }
  /// Chooses among the vocabulary's tokens, for what is not asked here.
  sampling::TokenChoice& choice() { return choice_; }
  /// The part of a row that is the vocabulary's, on the host.
  std::span<const float> numbers(const engine::LogitsRow& row) const {
    return row.numbers().first(vocabulary_.size());
  }

  /// @param sampling  of all rows
  /// @throws std::logic_error as TokenChoice
  void answer(const engine::Logits& logits, const sampling::SequenceSampling& sampling,
              std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers);

  /// Whether `answer_ahead` may be called.
  bool drafts_ahead() const { return ahead_ != nullptr; }
  /// What is drafted ahead: see engine::AheadReader.
  struct DraftAhead {
    engine::KvCache& cache;
    const engine::Logits& logits;
    std::span<const engine::RowBefore> before;
    engine::Ahead form;
    std::span<engine::RowAhead> rows;
    std::span<float> state = {};
  };
  /// Answers questions about rows, and about those of each level after them.
  /// @param questions  with a choice
  void answer_ahead(const DraftAhead& ahead, const sampling::SequenceSampling& sampling,
                    std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers);

 private:
  template <typename Answer>
  void answer_elsewhere(const sampling::SequenceSampling& sampling,
                        std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers,
                        const Answer& answer);
  void answer_on_host(std::span<const float> logits, const sampling::SequenceSampling& sampling,
                      const DraftQuestion& question, DraftAnswer& answer);
  void list_changes(const sampling::SequenceSampling& sampling);
  void take(const sampling::SequenceSampling& sampling, const DraftQuestion& question,
            DraftAnswer& answer) const;

  DraftVocabulary vocabulary_;
  sampling::TokenChoice choice_;
  sampling::RowScorer scorer_;
  std::unique_ptr<engine::RowReader> elsewhere_;
  std::unique_ptr<engine::AheadReader> ahead_;
  std::vector<engine::RowQuestion> questions_;
  std::vector<engine::RowAnswer> found_;
  std::vector<engine::LogitChange> changes_;  // of tokens, and of rows of the head
};

}  // namespace outrider::draft
