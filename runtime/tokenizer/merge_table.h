#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::text {

/// What two neighbouring tokens become, and how early.
struct Merge {
  std::int32_t rank;  // the lowest goes first; negative: the two are not merged
  Token result;
};

/// The merges of a byte-pair encoding, by pair: open addressing, at most half full.
class MergeTable {
 public:
  explicit MergeTable(std::size_t merges);

  /// @return false, changing nothing, if the pair is there already. At most `merges` pairs fit.
  bool add(Token left, Token right, Merge merge);
  Merge find(Token left, Token right) const;

 private:
  struct Slot {
    Token left = -1;
    Token right = -1;
    Merge merge{-1, -1};
  };

  /// The slot of the pair, or the free one where it belongs.
  std::size_t locate(Token left, Token right) const;

  std::vector<Slot> slots_;  // [a power of two]
};

}  // namespace outrider::text
