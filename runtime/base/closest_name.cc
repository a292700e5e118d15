#include "runtime/base/closest_name.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace outrider {
namespace {

/// Levenshtein distance: letters inserted, deleted or replaced.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view found, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestCompared = 100;
  if (found.size() > kLongestCompared) return "";
  std::size_t best = (found.size() + 2) / 3 + 1;
  std::string_view nearest;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(found, name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest);
}

}  // namespace outrider
