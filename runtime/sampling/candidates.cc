#include "runtime/sampling/candidates.h"

#include <algorithm>
#include <limits>

namespace outrider::sampling {
namespace {

void keep_best(std::vector<Candidate>& candidates, std::size_t k) {
  if (candidates.size() <= k) return;
  const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(candidates.begin(), last, candidates.end(), ranks_before);
  candidates.resize(k);
}

}  // namespace

void at_least(std::span<const double> scores, double lowest, std::vector<Candidate>& candidates) {
  lowest = std::max(lowest, std::numeric_limits<double>::lowest());
  candidates.clear();
  candidates.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] >= lowest) candidates.push_back({static_cast<Token>(i), scores[i]});
}

void best(std::span<const double> scores, int k, std::vector<Candidate>& candidates) {
  const auto wanted = static_cast<std::size_t>(k);
  const std::size_t room = 2 * wanted + 64;
  candidates.clear();
  candidates.reserve(std::min(room, scores.size()));
  // The worst of the best k so far: a later token with the same score ranks after it.
  double threshold = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!(scores[i] > threshold)) continue;
    candidates.push_back({static_cast<Token>(i), scores[i]});
    if (candidates.size() < room) continue;
    keep_best(candidates, wanted);
    threshold = candidates.back().score;
  }
  keep_best(candidates, wanted);
}

}  // namespace outrider::sampling
