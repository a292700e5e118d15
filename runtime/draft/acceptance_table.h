#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/draft/origin.h"

namespace outrider::draft {

class TokenTree;

/// How often drafted tokens were accepted, of those that the target was asked about: whose parent was accepted. Counts by
/// what is known of a token before that: its source, its rank, its depth, and the probability that the draft itself gave
/// it. Tables of several texts, or of parts of a study, merge by adding.
class AcceptanceTable {
 public:
  /// Ranks 0, 1, … and depths 1, 2, … are counted one by one, the last one with all that are larger.
  static constexpr int kRanks = 6, kDepths = 8;
  /// Probabilities are counted in tenths, and those that are unknown apart.
  static constexpr int kTenths = 10, kUnknownTenth = kTenths;

  /// Tokens that are counted together.
  struct Cell {
    Source source = Source::kNone;
    int rank = 0;
    int tenth = kUnknownTenth;
    int depth = 1;
    std::int64_t offered = 0;
    std::int64_t accepted = 0;  // of those

    bool operator==(const Cell&) const = default;
  };

  /// Makes room for all cells, so that counting allocates nothing.
  void reserve();
  /// Counts from 0 again, in the same memory.
  void clear() { cells_.clear(); }

  /// Counts a round.
  /// @param path  the root and the accepted nodes
  /// @param kept  the same without a node that ended the text, after which nothing was asked
  void add(const TokenTree& tree, std::span<const int> path, std::span<const int> kept);
  void add(const Cell& cell);
  void add(const AcceptanceTable& other);

  bool empty() const { return cells_.empty(); }
  /// Those with counts, in a fixed order.
  const std::vector<Cell>& cells() const { return cells_; }

  /// The chance that the target accepts a token once it has accepted all before it. Cells with few counts are smoothed with
  /// those of other depths, and these with the draft's own probability, which is the chance where nothing was counted.
  /// @param origin  of the token; its `chance` is ignored
  /// @return Origin::kUnknown where neither is known
  float chance(const Origin& origin, int depth) const;

  bool operator==(const AcceptanceTable&) const = default;

 private:
  static Cell cell_of(const Origin& origin, int depth);

  std::vector<Cell> cells_;  // in the order of `before`
};

}  // namespace outrider::draft
