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

std::vector<RankedSource> scored_by_attention(std::span<const int> sources,
                                              std::span<const float> scores) {
  std::vector<RankedSource> scored;
  for (const int j : sources) scored.push_back({j, scores[static_cast<std::size_t>(j)]});
  return scored;
}

}  // namespace outrider::draft
