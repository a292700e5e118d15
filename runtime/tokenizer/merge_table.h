#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::text {

/// The merge of two adjacent tokens.
struct Merge {
  std::int32_t rank;  // lowest first; negative: not merged
  Token result;
};

/// The merges of a byte-pair encoding, by pair: open addressing, at most half full.
class MergeTable {
 public:
  explicit MergeTable(std::size_t merges);

  /// @return false, and changes nothing, if the pair exists already. At most `merges` pairs fit.
  bool add(Token left, Token right, Merge merge);
  Merge find(Token left, Token right) const;

 private:
  struct Slot {
    Token left = -1;
    Token right = -1;
    Merge merge{-1, -1};
  };

  /// The pair's slot, or the free slot for it.
  std::size_t locate(Token left, Token right) const;

  std::vector<Slot> slots_;  // [a power of two]
};

}  // namespace outrider::text
