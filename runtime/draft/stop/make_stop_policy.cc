#include "runtime/draft/stop/make_stop_policy.h"

#include <stdexcept>

#include "runtime/draft/stop/classifier_stop.h"
#include "runtime/draft/stop/confidence.h"
#include "runtime/draft/stop/heuristic_length.h"
#include "runtime/draft/stop/static_length.h"

namespace outrider::draft {

const std::vector<std::string>& stop_policy_names() {
  static const std::vector<std::string> names = {"static",    "confidence", "path",
                                                 "heuristic", kDiscoStop,   kClassifierStop};
  return names;
}

bool has_threshold(std::string_view policy) {
  return policy == "confidence" || policy == "path" || has_classifier(policy);
}

bool has_classifier(std::string_view policy) {
  return policy == kDiscoStop || policy == kClassifierStop;
}

std::unique_ptr<StopPolicy> make_stop_policy(const StopOptions& options) {
  if (options.policy == "static") return std::make_unique<StaticLength>();
  if (options.policy == "confidence") return std::make_unique<Confidence>(options.threshold, false);
  if (options.policy == "path") return std::make_unique<Confidence>(options.threshold, true);
  if (options.policy == "heuristic") return std::make_unique<HeuristicLength>(options.longest);
  if (has_classifier(options.policy) && options.classifier != nullptr)
    return std::make_unique<ClassifierStop>(options.classifier, options.threshold,
                                            options.along_path);
  throw std::logic_error("make_stop_policy: no policy " + options.policy);
}

}  // namespace outrider::draft
