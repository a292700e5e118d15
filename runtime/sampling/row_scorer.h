#pragma once

#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/row_reader.h"
#include "runtime/engine/score_kernels.h"

namespace outrider::sampling {

/// What is kept of one position's distribution: softmax of the logits, at temperature 1 and before
/// any penalty, bias or filter. Logarithms are natural.
struct RowScores {
  /// [top] the likeliest tokens (of a trimmed head: its rows), best first; ties: the lowest id first
  std::vector<Token> ids;
  std::vector<float> log_probs;  // [top]
  float entropy = 0;             // in nats
  /// Probability of all tokens not in `ids`; each counts as e^-87 of the best one at least.
  float outside = 0;
};

/// The scores of a row, given what was found of it.
/// @param best  the tokens kept, best first
/// @param rest  sums over the other tokens
/// @throws std::logic_error if a logit is NaN
void report_scores(std::span<const engine::RankedLogit> best, const engine::ExpSums& rest,
                   float largest, RowScores& scores);

/// The same without `outside`, which is left as it is.
/// @param all  the sums over the row
void report_best(std::span<const engine::RankedLogit> best, const engine::ExpSums& all,
                 float largest, RowScores& scores);

/// Scores rows of logits. The bits of a row's scores depend on its logits only; against exact
/// arithmetic they are off by less than 1e-5.
class RowScorer {
 public:
  /// @param top      tokens kept, at most the vocabulary
  /// @param kernels  must outlive it
  RowScorer(int top, int vocab, const engine::ScoreKernels& kernels);

  /// @param logits  [vocab]
  /// @throws std::logic_error if one is NaN or the largest is infinite
  void score(std::span<const float> logits, RowScores& scores);
  /// Finds the largest logit and the sums of all, and the best logits where they are wanted: what an engine's reader of
  /// rows says of one that is summed.
  /// @throws std::logic_error as `score`
  void sum(std::span<const float> logits, bool wants_best, engine::RowAnswer& answer);
  /// arg_max of the row that was scored last.
  Token most_likely() const { return most_likely_; }

 private:
  void rank(std::span<const float> logits);
  float find_largest(std::span<const float> logits);

  const engine::ScoreKernels& kernels_;
  std::size_t top_;
  Token most_likely_ = 0;
  std::vector<float> maxima_;                // of groups of logits
  std::vector<float> sorted_;                // the same, partly sorted
  std::vector<engine::RankedLogit> ranked_;  // the likeliest tokens, best first
  std::vector<Token> kept_;                  // the same, ascending
};

}  // namespace outrider::sampling
