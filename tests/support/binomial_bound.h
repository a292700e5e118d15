#pragma once

#include <cmath>

namespace outrider::test {

/// How far the share of successes in n independent draws may lie from their probability p: a greater
/// distance has a chance of at most `failure` (Bernstein's inequality, both sides).
inline double binomial_bound(double p, double n, double failure) {
  // 2 exp(-n t^2 / (2 (p (1 - p) + t / 3))) = failure, solved for t.
  const double l = std::log(2 / failure) / n;
  return l / 3 + std::sqrt(l * l / 9 + 2 * l * p * (1 - p));
}

}  // namespace outrider::test
