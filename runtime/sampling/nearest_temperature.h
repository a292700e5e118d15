#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace outrider::sampling {

/// The temperature that settings were chosen for.
struct OwnTemperature {
  template <typename Settings>
  double operator()(const Settings& one) const {
    return one.temperature;
  }
};

/// The settings of the nearest temperature; on a tie the first.
/// @param all             at least one
/// @param temperature_of  (settings) -> double
template <typename Settings, typename TemperatureOf = OwnTemperature>
const Settings& nearest_temperature(const std::vector<Settings>& all, double temperature,
                                    const TemperatureOf& temperature_of = {}) {
  const auto distance = [&](const Settings& one) {
    return std::abs(temperature_of(one) - temperature);
  };
  return *std::min_element(all.begin(), all.end(), [&](const Settings& one, const Settings& other) {
    return distance(one) < distance(other);
  });
}

}  // namespace outrider::sampling
