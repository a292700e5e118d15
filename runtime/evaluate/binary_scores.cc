#include "runtime/evaluate/binary_scores.h"

#include <algorithm>
#include <numeric>

namespace outrider::evaluate {
namespace {

double f1_of(std::int64_t both, std::int64_t one, std::int64_t other) {
  const std::int64_t all = 2 * both + one + other;
  return all == 0 ? 0 : 2 * static_cast<double>(both) / static_cast<double>(all);
}

}  // namespace

void Confusion::add(bool predicted, bool actual) {
  if (predicted) {
    ++(actual ? true_yes : false_yes);
  } else {
    ++(actual ? false_no : true_no);
  }
}

double Confusion::f1() const { return f1_of(true_yes, false_yes, false_no); }
double Confusion::f1_of_no() const { return f1_of(true_no, false_no, false_yes); }

double area_under_roc(std::span<const double> scores, std::span<const std::uint8_t> actual) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double noes = 0, yeses = 0, higher = 0;  // pairs in which the yes is higher
  for (std::size_t begin = 0; begin < order.size();) {
    double same_yes = 0, same_no = 0;
    std::size_t end = begin;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      ++(actual[order[end]] != 0 ? same_yes : same_no);
    higher += same_yes * (noes + same_no / 2);
    noes += same_no;
    yeses += same_yes;
    begin = end;
  }
  return noes > 0 && yeses > 0 ? higher / (noes * yeses) : 0.5;
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

}  // namespace outrider::evaluate
