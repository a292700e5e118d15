#pragma once

#include <vector>

namespace outrider::calibrate {

/// Changes one value of a setting after the other as long as that is faster.
/// @param values      of a setting
/// @param neighbours  (setting, i) -> those that differ from it in the i-th value only and can be tried
/// @param speed       (setting) -> number
template <typename Setting, typename Neighbours, typename Speed>
Setting climb(Setting setting, int values, const Neighbours& neighbours, const Speed& speed) {
  double fastest = speed(setting);
  for (int unchanged = 0, i = 0; unchanged < values; i = (i + 1) % values) {
    ++unchanged;
    const std::vector<Setting> all = neighbours(setting, i);
    for (const Setting& one : all) {
      const double of_one = speed(one);
      if (of_one <= fastest) continue;
      fastest = of_one;
      setting = one;
      unchanged = 0;
    }
  }
  return setting;
}

}  // namespace outrider::calibrate
