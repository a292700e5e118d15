#pragma once

#include <cstddef>
#include <cstdint>

namespace outrider::engine::cuda {

// What kernels that read rows of logits are called with.

/// Tokens of a row that one block of threads reads, where several share a row.
inline constexpr int kRowPart = 4096;
/// Logits whose exponentials are added as floats, in sixteen chains, before they are added as doubles
/// (engine/cpu/lanes/score_row.h).
inline constexpr int kExpBlock = 1024;

/// As engine::LogitChange.
struct TokenChange {
  int token;
  double factor;
  double less;
  double more;
};

/// One row, and how it is read.
struct ReadRow {
  int row;           // of the logits
  int changed;       // row of `ReadArgs::changed` that is read instead; -1: the logits as they are
  int first_change;  // in `ReadArgs::changes`
  int changes;
  int first_allowed;  // word of `ReadArgs::allowed` with the first token's bit; -1: all tokens may be chosen
  int candidates;  // which memory for candidates it has; -1: none
  int ranked;      // tokens that are wanted of a ranking
  double reach;    // of the ranking
  int top_k;       // 0: all
  double top_p;    // 1: all
  double lowest;   // score that a choice needs; -infinity: any
  double temperature;
  std::uint64_t seed;
  std::int64_t position;
};

/// The place in a ranking up to which tokens are taken: those of larger scores, and of this one those of lower ids and this.
struct Boundary {
  std::uint64_t key;  // of the score, as key_of
  std::int64_t token;
};

/// What is found. Kernels read what those before them have found.
struct RowFound {
  double largest;      // of the row
  int likeliest;       // its token
  int token;           // the choice
  Boundary kept;       // of a row whose best logits are kept
  std::int64_t units;  // of a ranking: what all that may be chosen counts for
  unsigned has_nan;
};

/// A token and what it is ranked by.
struct ScoredToken {
  double score;
  int token;
};

/// As engine::RankedChoice; no token where there are no more.
struct RankedToken {
  double value;
  double score;
  int token;
  float logit;
};

/// The best token of a part of a row, and in a ranking what the part counts for.
struct PartFound {
  ScoredToken best;
  unsigned has_nan;
  std::int64_t units = 0;
};

/// The sums of one block of exponentials.
struct ExpBlock {
  float exp;
  float exp_times;
};

/// A token that may be taken.
struct Candidate {
  double score;
  std::int64_t units;  // what it counts for
  int token;
};

/// Blocks of threads that share a row, and blocks of exponentials that it has.
constexpr int parts_of(int width) { return (width + kRowPart - 1) / kRowPart; }
constexpr int exp_blocks_of(int width) { return (width + kExpBlock - 1) / kExpBlock; }

struct ReadArgs {
  const float* logits;  // [.., stride]
  std::size_t stride;
  int width;          // of a row
  const int* tokens;  // [width] whose noise the logits have; null: logit v is of token v

  const ReadRow* rows;  // [count]
  RowFound* found;      // [count]
  int count;
  const TokenChange* changes;
  const std::uint32_t* allowed;  // bits of tokens, the lowest bit of a word first
  double* changed;               // [.., width]
  Candidate* candidates;         // [.., width]
  PartFound* parts;              // [count, parts of a row]
  unsigned* finished;            // [count] blocks that have finished; zero before and after

  // Of rows that are ranked.
  int most_ranked;
  ScoredToken* part_ranks;  // [count, parts of a row, most_ranked]
  RankedToken* ranked;      // [count, most_ranked]

  // Of rows that are scored.
  int top;            // 0: none are kept
  bool leaves_best;   // out of the sums
  ScoredToken* best;  // [count, top] in no order
  ExpBlock* blocks;   // [count, blocks of a row]
};

}  // namespace outrider::engine::cuda
