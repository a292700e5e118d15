#include "data/study/oracle_lengths.h"

#include <algorithm>
#include <cmath>

namespace outrider::study {

void OracleLengths::add(const std::vector<int>& lengths) {
  if (counts.empty()) of_first_text = lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto length = static_cast<std::size_t>(lengths[i]);
    if (counts.size() <= length) counts.resize(length + 1);
    ++counts[length];
    // Normalised to 0 to 1: appendix A of the paper.
    const double at =
        lengths.size() < 2 ? 0 : static_cast<double>(i) / static_cast<double>(lengths.size() - 1);
    const auto part = std::min(static_cast<std::size_t>(at * kParts), sums.size() - 1);
    sums[part] += lengths[i];
    ++rounds[part];
  }
}

double OracleLengths::mean() const {
  double sum = 0, count = 0;
  for (std::size_t length = 0; length < counts.size(); ++length) {
    sum += static_cast<double>(length) * static_cast<double>(counts[length]);
    count += static_cast<double>(counts[length]);
  }
  return count > 0 ? sum / count : 0;
}

double OracleLengths::deviation() const {
  const double middle = mean();
  double sum = 0, count = 0;
  for (std::size_t length = 0; length < counts.size(); ++length) {
    const double off = static_cast<double>(length) - middle;
    sum += off * off * static_cast<double>(counts[length]);
    count += static_cast<double>(counts[length]);
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

}  // namespace outrider::study
