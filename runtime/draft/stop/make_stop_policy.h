#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/draft/stop/stop_classifier.h"
#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// How drafting stops, as settings name it.
struct StopOptions {
  std::string policy;                                     // one of stop_policy_names
  int longest = 1;                                        // tokens of a round at most
  double threshold = 0;                                   // where has_threshold
  std::shared_ptr<const StopClassifier> classifier = {};  // where has_classifier
  bool along_path = false;                                // likewise: LeastScore
};

/// DISCO as published (Mamou et al. 2024): a classifier of twelve inputs, and a threshold of its C_i.
inline constexpr const char* kDiscoStop = "disco";
/// A classifier that may read more, and a threshold that may be of the product of a round's C_i.
inline constexpr const char* kClassifierStop = "classifier";

/// "static", "confidence", "path", "heuristic", "disco", "classifier".
const std::vector<std::string>& stop_policy_names();

/// Whether a policy has a threshold: "confidence", "path", "disco", "classifier".
bool has_threshold(std::string_view policy);
/// Whether a policy has a classifier: "disco", "classifier".
bool has_classifier(std::string_view policy);

/// @throws std::logic_error for another name, and where a classifier is missing
std::unique_ptr<StopPolicy> make_stop_policy(const StopOptions& options);

}  // namespace outrider::draft
