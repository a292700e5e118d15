#include "runtime/draft/copy/pld_plus_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace outrider::draft {
namespace {

double temperature_distance(const PldPlusSettings& settings, double temperature) {
  return std::abs(settings.temperature.value_or(temperature) - temperature);
}

}  // namespace

std::string temperature_name(const PldPlusSettings& settings) {
  return settings.temperature ? fmt::format("temperature {}", *settings.temperature)
                              : "any temperature";
}

const PldPlusSettings& nearest_settings(const std::vector<PldPlusSettings>& all,
                                        double temperature) {
  return *std::min_element(
      all.begin(), all.end(), [&](const PldPlusSettings& one, const PldPlusSettings& other) {
        return temperature_distance(one, temperature) < temperature_distance(other, temperature);
      });
}

}  // namespace outrider::draft
