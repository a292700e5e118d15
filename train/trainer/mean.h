#pragma once

#include <cstdint>

namespace outrider::train {

/// The mean of what is added; 0 of nothing.
struct Mean {
  double sum = 0;
  std::int64_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

}  // namespace outrider::train
