#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "runtime/base/token.h"
#include "runtime/engine/asked_draft.h"
#include "runtime/engine/engine.h"
#include "runtime/sampling/distribution.h"
#include "runtime/sampling/draft_question.h"
#include "runtime/sampling/head_vocabulary.h"
#include "runtime/sampling/row_scorer.h"
#include "runtime/sampling/sequence_sampling.h"
#include "runtime/sampling/token_mask.h"

namespace outrider::sampling {

/// What is asked about a row of logits: the token that follows it, how likely its tokens are, or both.
struct AskedRow {
  int row = 0;                                    // of the pass's logits
  std::int64_t position = 0;                      // of the token, as for TokenChoice
  std::optional<SequenceSampling> sampling = {};  // nothing: none is chosen
  TokenMask allowed = {};                         // that may be chosen; scores are of all tokens
  RowScores* scores = nullptr;                    // filled in; null: none are wanted
  bool may_be_rejected = false;  // as engine::RowQuestion, where logits lie elsewhere
  Token token = 0;               // the answer
};

/// Reads the logits of a model for all others: it chooses tokens, scores rows, ranks the tokens that may follow them, and hands
/// out whole rows. Its answers have the same bits whether the rows lie on the processor or on a GPU. Rows that are asked about
/// together are answered side by side. The test `logits` lists the files that read rows without it, and why.
class Chooser {
 public:
  /// @param vocabulary  what the rows are over: from the first logit of a row on
  explicit Chooser(HeadVocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  virtual ~Chooser() = default;

  const HeadVocabulary& vocabulary() const { return vocabulary_; }

  // What a target is asked.

  /// Answers as TokenChoice::choose over the whole vocabulary, and RowScorer::score, would; where only some tokens are
  /// allowed, as if all others had a logit of -infinity.
  /// @param rows  of one sequence at most one has its bounds on noise
  /// @throws std::logic_error as they do; for scores of a chooser made without `top`
  virtual void answer(const engine::Logits& logits, std::span<AskedRow> rows) = 0;
  /// The same. Where choices are made elsewhere than on the host, they may be followed down drafts there, and accepted rows
  /// be moved before the caller commits them (engine::RowReader::answer_drafts).
  /// @param drafts  of which all rows are among `rows`
  virtual void answer_drafts(const engine::Logits& logits, std::span<AskedRow> rows,
                             std::span<const engine::AskedDraft> /*drafts*/) {
    answer(logits, rows);
  }

  /// The token after one row.
  Token choose(const engine::Logits& logits, int row, const SequenceSampling& sampling,
               std::int64_t position) {
    AskedRow one = {.row = row, .position = position, .sampling = sampling};
    answer(logits, {&one, 1});
    return one.token;
  }

  // What a drafter asks.

  /// @param sampling  of all rows
  /// @param answers   as many as questions; what they hold is used again
  /// @throws std::logic_error as TokenChoice and RowScorer; for sums of a chooser made without `top`
  virtual void answer(const engine::Logits& logits, const SequenceSampling& sampling,
                      std::span<const DraftQuestion> questions, std::span<DraftAnswer> answers) = 0;
  /// Whether `answer_ahead` may be called.
  virtual bool drafts_ahead() const { return false; }
  /// Answers questions about rows, and about those of each level after them.
  /// @param questions  with a choice
  /// @throws std::logic_error if nothing can be drafted ahead
  virtual void answer_ahead(const DraftAhead& ahead, const SequenceSampling& sampling,
                            std::span<const DraftQuestion> questions,
                            std::span<DraftAnswer> answers);

  // What compares distributions.

  /// The distribution of choices after a row: as TokenChoice::distribute.
  virtual void distribute(const engine::LogitsRow& row, const SequenceSampling& sampling,
                          Distribution& out) = 0;
  /// The logits after a row, [vocabulary], on the host: for divergences, verification by rejection and records, which need
  /// all of them. Valid until the next pass.
  std::span<const float> row(const engine::LogitsRow& row) const {
    return row.numbers().first(vocabulary_.size());
  }
  /// One of them, without the others. @param token  of the vocabulary
  float logit(const engine::LogitsRow& row, Token token) const {
    return row.of->number(row.row, static_cast<int>(vocabulary_.row_of(token)));
  }

 private:
  HeadVocabulary vocabulary_;
};

/// For the logits of an engine's passes, which must outlive it.
/// @param top  tokens whose probabilities scores keep; nothing: no scores are asked for
std::unique_ptr<Chooser> make_chooser(engine::Engine& engine, std::optional<int> top = {});
/// For those of a model that drafts.
/// @param top    largest logits that are kept of a row, at most the vocabulary
/// @param ahead  whether it drafts ahead, where the engine can
std::unique_ptr<Chooser> make_draft_chooser(engine::Engine& engine, HeadVocabulary vocabulary,
                                            int top = 0, bool ahead = false);

}  // namespace outrider::sampling
