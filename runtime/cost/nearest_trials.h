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

/// Of the trials that are hardly slower than the fastest the one that drafts the fewest tokens: where memory is faster
/// than when passes were timed, further rows cost more of a pass, and it loses the least. On a tie the fastest of these.
/// @param trials  at least one
template <typename Trial>
const Trial* fewest_drafted_of_fastest(const std::vector<const Trial*>& trials) {
  const double enough = (1 - kAlike) * fastest_of(trials)->tokens_per_second;
  const Trial* fewest = nullptr;
  for (const Trial* one : trials) {
    if (one->tokens_per_second < enough) continue;
    const auto key = [](const Trial* trial) {
      return std::pair(-trial->drafted_per_round(), trial->tokens_per_second);
    };
    if (fewest == nullptr || key(one) > key(fewest)) fewest = one;
  }
  return fewest;
}

}  // namespace outrider::cost
