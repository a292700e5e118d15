#pragma once

#include <vector>

#include "runtime/engine/pass.h"

namespace outrider::engine {

/// Where a row stands in its sequence, and which slots its path occupies in order of position: the
/// slots [0, contiguous), then `extra`.
struct RowPlace {
  int position;
  int slot;
  int contiguous;
  std::vector<int> extra;
};

/// Places every row of a pass behind its sequence's committed tokens.
/// @param positions  how many there are
/// @throws std::logic_error for a parent that does not come before its child or belongs to another
///         sequence, a token outside the vocabulary, rows beyond a cache's capacity or the last position
std::vector<RowPlace> place_rows(const Pass& pass, int vocab, int positions);

}  // namespace outrider::engine
