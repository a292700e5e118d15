#pragma once

#include <span>

#include "runtime/engine/kv_cache.h"
#include "runtime/engine/logits.h"
#include "runtime/engine/row_reader.h"

namespace outrider::engine {

/// How far a draft runs ahead of the host.
struct Ahead {
  int levels = 0;    // passes
  int width = 1;     // rows of each
  int children = 1;  // of a row: the first of its ranking, which may have rows of the next level
  /// Above temperature 0, whether a token's share of its row counts with its noise: softmax of T times the values of the
  /// ranking; else it is the sampler's probability.
  bool has_noise = false;
  /// Of the rows before each level how many, [levels], each at most `children`; empty: so many of all.
  std::span<const int> children_before = {};
};

/// A row that is there already.
struct RowBefore {
  int row;            // of its logits
  int parent;         // what follows it has, as Row::parent: kCommitted or held(..)
  double chance = 1;  // of its path: a share that counts beside those of the other rows
};

/// A row that was forwarded ahead.
struct RowAhead {
  static constexpr int kNone = -1;

  int parent =
      kNone;  // among the rows of the level before; kNone: nothing was left that could follow, and its answer is of nothing
  int rank = 0;  // of its token, in the ranking of its parent

  friend bool operator==(const RowAhead&, const RowAhead&) = default;
};

/// The states of a model that reads its own beside each token (EAGLE); else empty.
struct AheadStates {
  std::span<const float> before;  // [rows before, width]
  std::span<float> after;         // [levels, rows of each, width]: filled in
};

/// Drafts ahead where an engine's passes run: what is found in the rows of a level decides which tokens the next level has,
/// and the host waits once for all levels.
class AheadReader {
 public:
  /// The most rows that are asked about, and the most tokens that a level is chosen among.
  static constexpr int kMostRows = 64;
  static constexpr int kMostFollowing = 256;

  virtual ~AheadReader() = default;

  /// Answers questions about some rows, and about those of each level after them: the tokens that follow rows of the
  /// level before with the largest probability of the path, as far as the device estimates it, or, of one child, the first
  /// of each ranking. They are forwarded after those that the cache holds, and are not held yet.
  /// @param logits     of the rows before, which a pass of the engine left
  /// @param before     at one depth of the text
  /// @param states     those before are given, those of the rows that are forwarded become known
  /// @param questions  of the rows before, then of each level's: about rankings, alike but for their positions; their rows
  ///                   are not looked at
  /// @param rows       [levels, width] of the rows that were forwarded, whose parents the cache is told too
  /// @throws std::logic_error as RowReader
  virtual void answer(KvCache& cache, const Logits& logits, std::span<const RowBefore> before,
                      const Ahead& ahead, const AheadStates& states,
                      std::span<const RowQuestion> questions, std::span<RowAnswer> answers,
                      std::span<RowAhead> rows) = 0;
};

}  // namespace outrider::engine
