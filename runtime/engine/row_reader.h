#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/asked_draft.h"
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
  /// How many of the best tokens are wanted, as sampling::TokenChoice::rank ranks them, in place of a choice; 0: none.
  int ranked = 0;
  /// Ranked without filters above temperature 0: tokens whose score is by more than this less than the best one's are left
  /// out.
  double reach = std::numeric_limits<double>::infinity();
  /// Tokens that may be chosen, [logits / 32, rounded up]: bit v % 32 of word v / 32, as for sampling::TokenMask. Empty: all.
  std::span<const std::uint32_t> allowed = {};

  bool is_scored = false;
  /// Likewise, but with the sums of all, and with the largest logits only where they are wanted.
  bool is_summed = false;
  bool wants_best = false;
  /// It is of a drafted token that verification may reject: if it is no distribution, the answer is RowAnswer::kRefused in
  /// place of an error.
  bool may_be_rejected = false;

  /// Whether the logits are chosen from as they are.
  bool is_unchanged() const { return changes.empty() && allowed.empty(); }
  bool filters() const { return top_k > 0 || top_p < 1 || min_p > 0; }
  /// Whether the token with the largest logit is all that is wanted.
  bool wants_likeliest() const {
    return (is_chosen || ranked == 1) && temperature == 0 && is_unchanged();
  }
};

/// A token of a ranking.
struct RankedChoice {
  Token token;   // a row of the head
  double value;  // what ranks it: its score and its noise
  double score;  // (z - z of the best token) / T; at temperature 0 its value
  float logit;   // without changes
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
  float largest = 0;    // its logit, of a row that is scored or summed
  std::vector<RankedLogit> best =
      {};             // the largest logits, best first, as many as the reader keeps
  ExpSums rest = {};  // of all others, or of all, as ScoreKernels::exp_sums

  std::vector<RankedChoice> ranked = {};  // best first; fewer where fewer can be chosen
  std::int64_t units =
      0;  // above temperature 0 what all that filters leave counts for (base/weight_units.h)
};

/// Which rows a reader reads, and how much of them.
struct RowReaderOptions {
  int top = 0;    // logits that scores and sums keep
  int width = 0;  // logits that are read of a row, from the first; 0: all
  /// The tokens whose noise the logits have, ascending: they are ranked, not chosen by it; empty: logit v is of token v.
  std::span<const Token> tokens = {};
};

/// Answers questions about rows of logits that lie elsewhere than on the host, where they lie.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// @param answers  as many as questions
  /// @param drafts   whose rows are asked about; the reader may follow its choices down some of them and move the keys and
  ///                 values of the rows on the path to where KvCache::commit would: it then notes that in their caches
  /// @throws std::logic_error for a logit that is not a number, or a row whose largest is infinite, unless the row may be
  ///         rejected; for logits that were not left by a pass of this engine, or rows that they lack; for tokens that may be
  ///         chosen of another vocabulary
  virtual void answer_drafts(const Logits& logits, std::span<const RowQuestion> questions,
                             std::span<RowAnswer> answers, std::span<const AskedDraft> drafts) = 0;
  /// Of rows of which none belongs to a draft that is to be followed.
  void answer(const Logits& logits, std::span<const RowQuestion> questions,
              std::span<RowAnswer> answers) {
    answer_drafts(logits, questions, answers, {});
  }
};

}  // namespace outrider::engine
