#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/base/token.h"
#include "runtime/engine/asked_draft.h"
#include "runtime/engine/engine.h"
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

/// Chooses tokens and scores rows where the logits of an engine's passes lie. Many rows are asked about at once, since
/// they are answered side by side.
/// What compares whole distributions (rejection, divergences, shares of the likeliest tokens) takes a row as it is, Logits::row.
class Chooser {
 public:
  virtual ~Chooser() = default;

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
};

/// For the logits of an engine's passes, which must outlive it.
/// @param top  tokens whose probabilities scores keep; nothing: no scores are asked for
std::unique_ptr<Chooser> make_chooser(engine::Engine& engine, std::optional<int> top = {});

}  // namespace outrider::sampling
