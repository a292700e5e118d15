#include "runtime/draft/stop/row_features.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::draft {

RowFeatures RowFeatureReader::read(std::span<const float> logits) {
  if (!scorer_ || tokens_ != logits.size()) {
    tokens_ = logits.size();
    const int tokens = static_cast<int>(tokens_);
    scorer_.emplace(std::min(RowFeatures::kTop, tokens), tokens, kernels_);
  }
  scorer_->sum(logits, true, sums_);
  return of(sums_);
}

RowFeatures RowFeatureReader::of(const engine::RowAnswer& sums) {
  sampling::report_best(sums.best, sums.rest, sums.largest, scores_);
  RowFeatures features;
  std::transform(scores_.log_probs.begin(), scores_.log_probs.end(), features.top.begin(),
                 [](float log) { return static_cast<float>(math::exp(static_cast<double>(log))); });
  features.entropy = scores_.entropy;
  return features;
}

}  // namespace outrider::draft
