#include "runtime/draft/stop/row_features.h"

#include <algorithm>
#include <utility>

#include "runtime/base/math.h"

namespace outrider::draft {

RowFeatures RowFeatureReader::of(const engine::RowAnswer& sums) {
  sampling::report_best(sums.best, sums.rest, sums.largest, scores_);
  RowFeatures features;
  std::transform(scores_.log_probs.begin(), scores_.log_probs.end(), features.top.begin(),
                 [](float log) { return static_cast<float>(math::exp(static_cast<double>(log))); });
  features.entropy = scores_.entropy;
  return features;
}

std::unique_ptr<sampling::Chooser> make_feature_chooser(engine::Engine& draft,
                                                        sampling::HeadVocabulary vocabulary,
                                                        bool ahead) {
  const int top = std::min(RowFeatures::kTop, static_cast<int>(vocabulary.size()));
  return sampling::make_draft_chooser(draft, std::move(vocabulary), top, ahead);
}

}  // namespace outrider::draft
