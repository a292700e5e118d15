#include "data/study/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace outrider::study {
namespace {

constexpr int kDraws = 2000;
constexpr double kOutside = 0.025;  // share of the draws below the interval, and above it

/// The value below which a share of sorted values lies, between two of them in proportion.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Interval bootstrap(std::span<const std::size_t> sizes, const OfTexts& of_texts) {
  ChosenTexts texts;
  for (const std::size_t size : sizes) {
    texts.emplace_back(size);
    std::iota(texts.back().begin(), texts.back().end(), std::size_t{0});
  }
  const double value = of_texts(texts);
  std::mt19937_64 random(1);
  std::vector<double> found;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (auto& of_set : texts)
      for (std::size_t& text : of_set) text = random() % of_set.size();
    if (const double one = of_texts(texts); std::isfinite(one)) found.push_back(one);
  }
  if (found.empty()) return {value, value, value};
  std::sort(found.begin(), found.end());
  return {value, quantile(found, kOutside), quantile(found, 1 - kOutside)};
}

}  // namespace outrider::study
