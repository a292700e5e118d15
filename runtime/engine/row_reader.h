#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/logits.h"
#include "runtime/engine/score_kernels.h"

namespace outrider::engine {

/// What is done to the logit z of a token before a choice: z > 0 ? z / factor : z * factor, then less `less`, then plus
/// `more`, in double precision.
struct LogitChange {
  Token token;
  double factor = 1;
  double less = 0;
  double more = 0;

  friend bool operator==(const LogitChange&, const LogitChange&) = default;
};

/// What is asked about a row of logits: sampling::TokenChoice says how a token is chosen, sampling::RowScorer how a row is
/// scored.
struct RowQuestion {
  int row = 0;  // of the pass's logits

  bool is_chosen = false;
  double temperature = 0;
  int top_k = 0;
  double top_p = 1;
  double min_p = 0;
  std::uint64_t seed = 0;  // of the noise
  std::int64_t position = 0;
  std::span<const LogitChange> changes = {};  // of tokens that each come once
  /// Tokens that may be chosen, [logits / 32, rounded up]: bit v % 32 of word v / 32, as for sampling::TokenMask. Empty: all.
  std::span<const std::uint32_t> allowed = {};

  bool is_scored = false;
  /// It is of a drafted token that verification may reject: if it is no distribution, the answer is RowAnswer::kRefused in
  /// place of an error.
  bool may_be_rejected = false;

  /// Whether the logits are chosen from as they are.
  bool is_unchanged() const { return changes.empty() && allowed.empty(); }
  bool filters() const { return top_k > 0 || top_p < 1 || min_p > 0; }
};

/// A logit that is kept.
struct RankedLogit {
  float logit;
  Token token;

  /// Whether it ranks before another: by its logit, the lowest id first among equals.
  bool operator<(const RankedLogit& other) const {
    return logit != other.logit ? logit > other.logit : token < other.token;
  }
};

struct RowAnswer {
  static constexpr Token kRefused = -1;

  Token token = 0;      // the choice
  Token likeliest = 0;  // with the largest logit, without changes; of a row that is scored
  float largest = 0;    // its logit
  std::vector<RankedLogit> best =
      {};             // the largest logits, best first, as many as the reader keeps
  ExpSums rest = {};  // of all others, as ScoreKernels::exp_sums
};

/// Answers questions about rows of logits that lie elsewhere than on the host, where they lie.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// @param answers  as many as questions
  /// @throws std::logic_error for a logit that is not a number, or a row whose largest is infinite, unless the row may be
  ///         rejected; for logits that were not left by a pass of this engine, or rows that they lack; for tokens that may be
  ///         chosen of another vocabulary
  virtual void answer(const Logits& logits, std::span<const RowQuestion> questions,
                      std::span<RowAnswer> answers) = 0;
};

}  // namespace outrider::engine
