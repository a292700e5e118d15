#include "runtime/draft/stop/row_features.h"

#include <algorithm>

#include "runtime/base/math.h"

namespace outrider::draft {

RowFeatures RowFeatureReader::read(std::span<const float> logits) {
  if (!scorer_ || row_.size() != logits.size()) {
    const int tokens = static_cast<int>(logits.size());
    scorer_.emplace(std::min(RowFeatures::kTop, tokens), tokens, kernels_);
  }
  row_.assign(logits.begin(), logits.end());
  scorer_->score(row_, scores_);
  RowFeatures features;
  std::transform(scores_.log_probs.begin(), scores_.log_probs.end(), features.top.begin(),
                 [](float log) { return static_cast<float>(math::exp(static_cast<double>(log))); });
  features.entropy = scores_.entropy;
  return features;
}

}  // namespace outrider::draft
