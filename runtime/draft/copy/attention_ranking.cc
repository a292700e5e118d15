#include "runtime/draft/copy/attention_ranking.h"

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

std::vector<RankedSource> scored_by_attention(Aggregation how, std::span<const int> sources,
                                              std::span<const float> attention) {
  std::vector<float> scores;
  for (std::size_t head = 0; head < attention.size(); head += sources.size())
    aggregate(how, attention.subspan(head, sources.size()), scores);
  std::vector<RankedSource> scored;
  for (std::size_t i = 0; i < sources.size(); ++i) scored.push_back({sources[i], scores[i]});
  return scored;
}

}  // namespace outrider::draft
