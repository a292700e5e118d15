#include "runtime/sampling/nucleus.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "runtime/base/math.h"
#include "runtime/base/weight_units.h"

namespace outrider::sampling {
namespace {

template <typename Iterator>
std::int64_t sum(Iterator first, Iterator last) {
  std::int64_t units = 0;
  for (; first != last; ++first) units += first->units;
  return units;
}

/// Tokens below this score are ranked only if the run extends to them, and weighed only if that matters:
/// at usual temperatures they are 98 % of the tokens with a ten-thousandth of the probability.
constexpr double kUnlikely = -16.0;

}  // namespace

/// Fills `weighted_`.
void Nucleus::weigh(const std::vector<Candidate>& candidates) {
  weights_.clear();
  weights_.reserve(candidates.capacity());
  for (const Candidate& candidate : candidates) weights_.push_back(candidate.score);
  math::exp_each(weights_, weights_);
  weighted_.clear();
  weighted_.reserve(candidates.capacity());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    weighted_.push_back({candidates[i], units_of_weight(weights_[i])});
}

/// Finds the shortest run of best candidates whose probability is at least p, unless that depends on the exact
/// probability of the rest. Reorders `weighted_`, whose candidates rank before all tokens of the rest.
/// @return whether it was found
bool Nucleus::shortest_run(double p, const Rest& rest, std::vector<Candidate>& run) {
  const auto total = static_cast<double>(sum(weighted_.begin(), weighted_.end()));
  const double perhaps_enough = p * (total + rest.least);
  const double surely_enough = p * (total + rest.most);
  if (total < perhaps_enough) return false;
  const auto ranks_first = [](const Weighted& a, const Weighted& b) {
    return ranks_before(a.candidate, b.candidate);
  };
  // The run ends between `first` and `last`; candidates before `first` belong to it.
  auto first = weighted_.begin();
  auto last = weighted_.end();
  std::int64_t reached = 0;
  while (last - first > 64) {
    const auto middle = first + (last - first) / 4;
    std::nth_element(first, middle, last, ranks_first);
    const std::int64_t units = sum(first, middle);
    if (static_cast<double>(reached + units) >= perhaps_enough) {
      last = middle;
    } else {
      reached += units;
      first = middle;
    }
  }
  std::sort(first, last, ranks_first);
  do reached += first++->units;
  while (first != last && static_cast<double>(reached) < perhaps_enough);
  if (static_cast<double>(reached) < surely_enough) return false;

  run.clear();
  for (auto i = weighted_.begin(); i != first; ++i) run.push_back(i->candidate);
  return true;
}

/// Bounds by counting the tokens in steps of a quarter, which is far cheaper than exponentials.
Nucleus::Rest Nucleus::bound_unlikely(std::span<const double> scores) {
  constexpr int kSteps = 256;  // the last has everything beyond
  std::array<std::int64_t, kSteps> counts = {};
  for (const double score : scores)
    if (score < kUnlikely) ++counts[static_cast<std::size_t>(std::min(score * -4.0, kSteps - 1.0))];
  Rest rest;
  double tokens = 0;
  for (int step = 0; step < kSteps; ++step) {
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(step)]);
    if (count == 0) continue;
    tokens += count;
    rest.most += count * math::exp(step / -4.0) * kUnitsOfBest;
    if (step + 1 < kSteps) rest.least += count * math::exp((step + 1) / -4.0) * kUnitsOfBest;
  }
  // Every token may be rounded by half a unit, and a sum of up to 2^62 units by 512 as a double.
  const double rounding = 0.5 * tokens + 1024;
  rest.most = rest.most * (1 + 1e-9) + rounding;
  rest.least = std::max(0.0, rest.least * (1 - 1e-9) - rounding);
  return rest;
}

/// The exact probability instead. Overwrites the weights of candidates, which nothing needs any more.
Nucleus::Rest Nucleus::weigh_unlikely(std::span<const double> scores) {
  weights_.clear();
  for (const double score : scores)
    if (score < kUnlikely) weights_.push_back(score);
  math::exp_each(weights_, weights_);
  std::int64_t units = 0;
  for (const double weight : weights_) units += units_of_weight(weight);
  return {static_cast<double>(units), static_cast<double>(units)};
}

void Nucleus::find(std::span<const double> scores, double p, std::vector<Candidate>& run) {
  at_least(scores, kUnlikely, run);
  weigh(run);
  if (shortest_run(p, bound_unlikely(scores), run)) return;
  if (shortest_run(p, weigh_unlikely(scores), run)) return;
  at_least(scores, -std::numeric_limits<double>::infinity(), run);
  cut(run, p);
}

void Nucleus::cut(std::vector<Candidate>& candidates, double p) {
  weigh(candidates);
  shortest_run(p, Rest{}, candidates);
}

}  // namespace outrider::sampling
