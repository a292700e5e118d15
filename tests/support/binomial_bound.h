#pragma once

#include <cmath>

namespace outrider::test {

/// Bound on the distance between the share of successes in n independent draws and their probability p:
/// it is exceeded with probability at most `failure` (Bernstein's inequality, two-sided).
inline double binomial_bound(double p, double n, double failure) {
  // 2 exp(-n t^2 / (2 (p (1 - p) + t / 3))) = failure, solved for t.
  const double l = std::log(2 / failure) / n;
  return l / 3 + std::sqrt(l * l / 9 + 2 * l * p * (1 - p));
}

}  // namespace outrider::test
