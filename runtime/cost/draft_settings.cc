#include "runtime/cost/draft_settings.h"

#include <algorithm>

#include "runtime/sampling/nearest_temperature.h"

namespace outrider::cost {

DraftSettings::Cell DraftSettings::cell(std::size_t i) const {
  const std::size_t row = i / draft_lengths.size();
  return {thresholds[row],      draft_lengths[i % draft_lengths.size()],
          tokens_per_round[i],  drafted_per_round[i],
          tokens_per_second[i], is_along_path(row)};
}

DraftSettings::Cell DraftSettings::best() const {
  const auto fastest = std::max_element(tokens_per_second.begin(), tokens_per_second.end());
  return cell(static_cast<std::size_t>(fastest - tokens_per_second.begin()));
}

DraftSettings::Cell DraftSettings::best_of(bool fixed) const {
  Cell fastest;
  for (std::size_t i = 0; i < size(); ++i) {
    const Cell one = cell(i);
    if ((one.threshold == 0) == fixed && one.tokens_per_second > fastest.tokens_per_second)
      fastest = one;
  }
  return fastest;
}

const DraftSettings& MachineDraftSettings::nearest(double temperature) const {
  return sampling::nearest_temperature(by_temperature, temperature);
}

double improvement_factor(double alpha, int length, double c) {
  double tokens = 1, power = 1;  // 1 + alpha + ... + alpha^length, also where alpha is 1
  for (int i = 0; i < length; ++i) tokens += power *= alpha;
  return tokens / (length * c + 1);
}

}  // namespace outrider::cost
