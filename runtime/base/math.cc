#include "runtime/base/math.h"

#include <algorithm>
#include <cstddef>

namespace outrider::math {

void exp_each(std::span<const double> x, std::span<double> out) {
  constexpr std::size_t kBlock = 64;
  double moderate[kBlock];
  for (std::size_t begin = 0; begin < x.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, x.size() - begin);
    for (std::size_t i = 0; i < n; ++i) moderate[i] = parts::scaled_exp(x[begin + i], 0);
    // Results for x outside the range are wrong, and computed again.
    for (std::size_t i = 0; i < n; ++i) {
      const double x_i = x[begin + i];
      out[begin + i] =
          x_i >= parts::kExpLowest && x_i <= parts::kExpHighest ? moderate[i] : exp(x_i);
    }
  }
}

}  // namespace outrider::math
