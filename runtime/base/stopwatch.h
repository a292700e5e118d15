#pragma once

#include <chrono>
#include <utility>

namespace outrider {

/// Starts when constructed.
class Stopwatch {
 public:
  double seconds() const { return between(start_, Clock::now()); }

  /// Seconds since the last call, or since construction.
  double lap() {
    const Clock::time_point before = std::exchange(lap_, Clock::now());
    return between(before, lap_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  Clock::time_point start_ = Clock::now();
  Clock::time_point lap_ = start_;
};

}  // namespace outrider
