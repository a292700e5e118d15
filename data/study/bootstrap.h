#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace outrider::study {

/// A statistic of texts and its 95 % interval.
struct Interval {
  double value = 0, low = 0, high = 0;
};

/// Texts of several sets: [sets] indices, of which one may come several times.
using ChosenTexts = std::vector<std::vector<std::size_t>>;
/// What is to be found; NaN where texts do not tell it.
using OfTexts = std::function<double(const ChosenTexts&)>;

/// The percentile bootstrap (Efron 1979): the texts of each set are drawn with replacement, always the same
/// ones. Figures of several policies are paired where `of_texts` finds them from the same texts. Draws that do
/// not tell it are left out.
/// @param sizes  texts of each set
Interval bootstrap(std::span<const std::size_t> sizes, const OfTexts& of_texts);

}  // namespace outrider::study
