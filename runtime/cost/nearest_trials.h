#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace outrider::cost {

/// Leaves those trials whose settings have the value nearest to the requested one, if one is.
template <typename Trial, typename T, typename ValueOf>
void keep_nearest(std::vector<const Trial*>& trials, const std::optional<T>& requested,
                  const ValueOf& value_of) {
  if (!requested || trials.empty()) return;
  const auto distance = [&](const Trial* one) {
    return std::abs(static_cast<double>(value_of(one->setting)) - static_cast<double>(*requested));
  };
  double least = distance(trials.front());
  for (const Trial* one : trials) least = std::min(least, distance(one));
  std::erase_if(trials, [&](const Trial* one) { return distance(one) > least; });
}

/// @param trials  at least one; on a tie the first
template <typename Trial>
const Trial* fastest_of(const std::vector<const Trial*>& trials) {
  return *std::max_element(trials.begin(), trials.end(), [](const auto* one, const auto* other) {
    return one->tokens_per_second < other->tokens_per_second;
  });
}

/// Settings whose predicted speeds differ by less are not told apart by measurements.
inline constexpr double kAlike = 0.01;

/// The trial of the lowest cost among those predicted within kAlike of the fastest; on a tie the fastest of these.
/// @param trials   at least one
/// @param cost_of  (trial) -> number
template <typename Trial, typename CostOf>
const Trial* cheapest_of_fastest(const std::vector<const Trial*>& trials, const CostOf& cost_of) {
  const double enough = (1 - kAlike) * fastest_of(trials)->tokens_per_second;
  const auto key = [&](const Trial* one) {
    return std::pair(-cost_of(*one), one->tokens_per_second);
  };
  const Trial* cheapest = nullptr;
  for (const Trial* one : trials)
    if (one->tokens_per_second >= enough && (cheapest == nullptr || key(one) > key(cheapest)))
      cheapest = one;
  return cheapest;
}

}  // namespace outrider::cost
