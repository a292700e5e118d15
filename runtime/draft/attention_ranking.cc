#include "runtime/draft/attention_ranking.h"

#include <algorithm>
#include <stdexcept>

namespace outrider::draft {

void aggregate(Aggregation how, std::span<const float> attention, std::vector<float>& scores) {
  if (scores.empty()) {
    scores.assign(attention.begin(), attention.end());
    return;
  }
  if (attention.size() != scores.size()) throw std::logic_error("aggregate: rows differ in length");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] =
        how == Aggregation::kMax ? std::max(scores[i], attention[i]) : scores[i] + attention[i];
  }
}

void aggregate(Aggregation how, const engine::Taps& taps, int row, std::vector<float>& scores) {
  scores.clear();
  for (const auto& of_head : taps.attention) {
    aggregate(how, of_head[static_cast<std::size_t>(row)], scores);
  }
}

std::optional<RankedSource> most_attended(std::span<const int> sources,
                                          std::span<const float> scores) {
  std::optional<RankedSource> best;
  for (const int j : sources) {
    const float score = scores[static_cast<std::size_t>(j)];
    if (!best || score >= best->score) best = {j, score};
  }
  return best;
}

}  // namespace outrider::draft
