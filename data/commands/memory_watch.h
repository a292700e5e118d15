#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/memory.h"
#include "runtime/base/stopwatch.h"

namespace outrider::data {

/// Whether memory stays flat over a long run: what was held once it was under way, and the most since.
class MemoryWatch {
 public:
  /// @param settled  seconds from now until the run is under way
  explicit MemoryWatch(double settled = 60) : settled_(settled) {}

  /// Looks at the memory held now; cheap enough to be called for each conversation.
  void sample() {
    if (watch_.seconds() < settled_) return;
    const std::int64_t now = rss_bytes();
    if (first_ == 0) first_ = now;
    most_ = std::max(most_, now);
  }

  /// In bytes; 0 while the run is not under way.
  std::int64_t first() const { return first_; }
  std::int64_t most() const { return most_; }

 private:
  double settled_;
  Stopwatch watch_;
  std::int64_t first_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace outrider::data
