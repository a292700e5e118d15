#pragma once

#include <cstddef>
#include <vector>

#include "runtime/engine/pass.h"

namespace outrider::engine {

/// A row's position and slot, and the slots of its path in order of position: the slots [0,
/// contiguous), then `num_extra` others.
struct RowLayout {
  int position;
  int slot;
  int number;  // in its cache
  int contiguous;
  int num_extra;
  std::size_t first_extra;
};

/// The layout of the rows of a pass; reused for one pass after another, it allocates for larger
/// ones only.
class PassLayout {
 public:
  /// Assigns every row of a pass a slot after its sequence's cached rows, and adds the row to the
  /// cache.
  /// @param positions  the number of positions of the model
  /// @throws std::logic_error for a parent that does not come before its child or belongs to another
  ///         sequence, a token outside the vocabulary, rows beyond a cache's capacity or the last
  ///         position
  void assign(const Pass& pass, int vocab, int positions);

  const RowLayout& operator[](std::size_t row) const { return rows_[row]; }
  /// The slots of a row's path that are not among the contiguous ones: [num_extra], ascending.
  const int* extra(const RowLayout& row) const { return extra_.data() + row.first_extra; }

 private:
  RowLayout after(const Pass& pass, const Row& row);
  RowLayout after_held(const KvCache& cache, int number);

  std::vector<RowLayout> rows_;
  std::vector<int> extra_;  // of all rows, one after the other
};

}  // namespace outrider::engine
