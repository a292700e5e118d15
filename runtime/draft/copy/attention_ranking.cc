#include "runtime/draft/copy/attention_ranking.h"

#include <algorithm>
#include <stdexcept>

namespace outrider::draft {
namespace {

float combined(Aggregation how, float a, float b) {
  return how == Aggregation::kMax ? std::max(a, b) : a + b;
}

}  // namespace

void aggregate(Aggregation how, std::span<const float> attention, std::vector<float>& scores) {
  if (scores.empty()) {
    scores.assign(attention.begin(), attention.end());
    return;
  }
  if (attention.size() != scores.size()) throw std::logic_error("aggregate: rows differ in length");
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = combined(how, scores[i], attention[i]);
}

void score_by_attention(Aggregation how, std::span<const int> sources,
                        std::span<const float> attention, std::vector<RankedSource>& scored) {
  scored.clear();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    float score = attention[i];
    for (std::size_t next = i + sources.size(); next < attention.size(); next += sources.size())
      score = combined(how, score, attention[next]);
    scored.push_back({sources[i], score});
  }
}

}  // namespace outrider::draft
