#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/stop/stop_policy.h"

namespace outrider::draft {

/// How drafting stops, as settings name it.
struct StopOptions {
  std::string policy;    // one of stop_policy_names
  int longest = 1;       // tokens of a round at most
  double threshold = 0;  // of "confidence"
};

/// "static", "confidence", "heuristic".
const std::vector<std::string>& stop_policy_names();

/// @throws std::logic_error for another name
std::unique_ptr<StopPolicy> make_stop_policy(const StopOptions& options);

}  // namespace outrider::draft
