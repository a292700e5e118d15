#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/memory.h"
#include "runtime/base/stopwatch.h"

namespace outrider::data {

/// Measures whether memory grows over a long run: resident bytes after a warm-up, and the most
/// since.
class MemoryWatch {
 public:
  /// @param warm_up  seconds from now
  explicit MemoryWatch(double warm_up = 60) : warm_up_(warm_up) {}

  /// Samples the resident memory; cheap enough to be called per conversation.
  void sample() {
    if (watch_.seconds() < warm_up_) return;
    const std::int64_t now = rss_bytes();
    if (first_ == 0) first_ = now;
    most_ = std::max(most_, now);
  }

  /// Resident memory in bytes; 0 during the warm-up.
  std::int64_t first() const { return first_; }
  std::int64_t most() const { return most_; }

 private:
  double warm_up_;
  Stopwatch watch_;
  std::int64_t first_ = 0;
  std::int64_t most_ = 0;
};

}  // namespace outrider::data
