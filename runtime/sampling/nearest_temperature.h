#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace outrider::sampling {

/// The temperature that settings were chosen for.
struct OwnTemperature {
  template <typename Settings>
  std::optional<double> operator()(const Settings& one) const {
    return one.temperature;
  }
};

/// The settings of the nearest temperature; on a tie the first. Those without one are for any temperature.
/// @param all             at least one
/// @param temperature_of  (settings) -> double or std::optional<double>
template <typename Settings, typename TemperatureOf = OwnTemperature>
const Settings& nearest_temperature(const std::vector<Settings>& all, double temperature,
                                    const TemperatureOf& temperature_of = {}) {
  const auto distance = [&](const Settings& one) {
    return std::abs(std::optional<double>(temperature_of(one)).value_or(temperature) - temperature);
  };
  return *std::min_element(all.begin(), all.end(), [&](const Settings& one, const Settings& other) {
    return distance(one) < distance(other);
  });
}

}  // namespace outrider::sampling
