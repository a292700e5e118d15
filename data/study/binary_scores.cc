#include "data/study/binary_scores.h"

#include <algorithm>
#include <numeric>

namespace outrider::study {
namespace {

double f1_of(std::int64_t both, std::int64_t one, std::int64_t other) {
  const std::int64_t all = 2 * both + one + other;
  return all == 0 ? 0 : 2 * static_cast<double>(both) / static_cast<double>(all);
}

}  // namespace

void Confusion::add(bool predicted, bool actual) {
  if (predicted) {
    ++(actual ? true_positives : false_positives);
  } else {
    ++(actual ? false_negatives : true_negatives);
  }
}

double Confusion::f1() const { return f1_of(true_positives, false_positives, false_negatives); }
double Confusion::f1_of_no() const {
  return f1_of(true_negatives, false_negatives, false_positives);
}

double area_under_roc(std::span<const double> scores, std::span<const std::uint8_t> actual) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double negatives = 0, positives = 0;
  double higher = 0;  // pairs in which the positive one has the higher score
  for (std::size_t begin = 0; begin < order.size();) {
    double tied_positives = 0, tied_negatives = 0;
    std::size_t end = begin;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      ++(actual[order[end]] != 0 ? tied_positives : tied_negatives);
    higher += tied_positives * (negatives + tied_negatives / 2);
    negatives += tied_negatives;
    positives += tied_positives;
    begin = end;
  }
  return negatives > 0 && positives > 0 ? higher / (negatives * positives) : 0.5;
}

Reliability reliability_of(std::span<const double> probabilities, std::span<const double> happened,
                           int parts) {
  const auto size = static_cast<std::size_t>(parts);
  Reliability found = {std::vector<double>(size), std::vector<double>(size),
                       std::vector<double>(size)};
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const auto part = std::min(static_cast<std::size_t>(probabilities[i] * parts), size - 1);
    ++found.share[part];
    found.predicted[part] += probabilities[i];
    found.happened[part] += happened[i];
  }
  for (std::size_t part = 0; part < size; ++part) {
    if (found.share[part] == 0) continue;
    found.predicted[part] /= found.share[part];
    found.happened[part] /= found.share[part];
    found.share[part] /= static_cast<double>(probabilities.size());
  }
  return found;
}

}  // namespace outrider::study
