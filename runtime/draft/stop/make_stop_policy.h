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
  std::shared_ptr<const StopClassifier> classifier = {};  // of "disco"
  bool along_path = false;                                // likewise: LeastScore
};

/// "static", "confidence", "path", "heuristic", "disco", "oracle".
const std::vector<std::string>& stop_policy_names();

/// Whether a policy has a threshold: "confidence", "path", "disco".
bool has_threshold(std::string_view policy);

/// @param kernels  of the draft's engine, for "disco"; must outlive the policy
/// @throws std::logic_error for another name, and for "disco" without a classifier
std::unique_ptr<StopPolicy> make_stop_policy(const StopOptions& options,
                                             const engine::ScoreKernels& kernels);

}  // namespace outrider::draft
