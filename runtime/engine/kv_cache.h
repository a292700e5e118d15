#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model/config.h"

namespace outrider::engine {

/// Keys and values of one sequence. Slots [0, length) hold committed tokens, slot = position; the
/// rows of a pass are written to the slots behind them, in the order of the pass, and stay there
/// until `commit` keeps some.
class KvCache {
 public:
  KvCache(const model::ModelConfig& config, int capacity);

  int capacity() const { return capacity_; }
  /// Committed tokens.
  int length() const { return length_; }

  /// Keeps the rows of the last pass on one path and forgets the others. Rows are counted among
  /// this sequence's rows of that pass, root first. Nothing is copied for a row that lies right.
  void commit(std::span<const int> rows);
  /// Goes back to the first `length` tokens.
  void truncate(int length);

 private:
  int capacity_;
  int length_ = 0;
};

}  // namespace outrider::engine
