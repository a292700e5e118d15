#include "runtime/decode/candidates.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::decode {
namespace {

bool ranks_before(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.token < b.token;
}

void keep_top_k(std::vector<Candidate>& candidates, int k) {
  if (k == 0 || candidates.size() <= static_cast<std::size_t>(k)) return;
  std::nth_element(candidates.begin(), candidates.begin() + (k - 1), candidates.end(),
                   ranks_before);
  candidates.resize(static_cast<std::size_t>(k));
}

// Keeps the shortest run of best candidates with a probability of at least p together.
void keep_top_p(std::vector<Candidate>& candidates, double p) {
  if (p >= 1.0) return;
  double total = 0;
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.token < b.token; });
  for (const Candidate& candidate : candidates) total += math::exp(candidate.score);
  // Only as many are ranked as turn out to be needed.
  double reached = 0;
  for (std::size_t begin = 0, end = 64;; begin = end, end *= 8) {
    const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = end < candidates.size()
                          ? candidates.begin() + static_cast<std::ptrdiff_t>(end)
                          : candidates.end();
    std::partial_sort(first, last, candidates.end(), ranks_before);
    for (auto i = first; i != last; ++i) {
      reached += math::exp(i->score);
      if (reached >= p * total) {
        candidates.erase(i + 1, candidates.end());
        return;
      }
    }
    if (last == candidates.end()) return;
  }
}

void keep_min_p(std::vector<Candidate>& candidates, double min_p) {
  if (min_p == 0) return;
  // The best score is 0, so that a candidate's share of the best probability is e^score.
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& c) { return math::exp(c.score) < min_p; }),
                   candidates.end());
}

}  // namespace

std::vector<Candidate> filter(std::span<const float> logits, float largest,
                              const SamplerOptions& options) {
  std::vector<Candidate> candidates;
  candidates.reserve(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double score =
        (static_cast<double>(logits[i]) - static_cast<double>(largest)) / options.temperature;
    candidates.push_back({static_cast<Token>(i), score});
  }
  keep_top_k(candidates, options.top_k);
  keep_top_p(candidates, options.top_p);
  keep_min_p(candidates, options.min_p);
  return candidates;
}

}  // namespace outrider::decode
