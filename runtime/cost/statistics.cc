#include "runtime/cost/statistics.h"

#include <algorithm>
#include <cstddef>

namespace outrider::cost {

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  // Interpolates between the two nearest values.
  const auto quantile = [&](double q) {
    const double position = q * static_cast<double>(values.size() - 1);
    const std::size_t below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] +
           (position - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {quantile(0.5), quantile(0.1), quantile(0.9)};
}

}  // namespace outrider::cost
