#pragma once

#include <optional>
#include <vector>

#include "data/study/stop_study_run.h"
#include "runtime/methods/ssd.h"

namespace outrider::calibrate {

/// The policies of DISCO's tables (Mamou et al. 2024): static with 5 tokens and with the length that is best, heuristic,
/// confidence, path, disco as published, classifier and oracle. Lengths and thresholds are those that `train disco` chose on
/// this machine, all on the same texts, else those of calibration.
struct StopPolicies {
  std::vector<study::StudiedPolicy> policies;
  methods::ResolvedSsd first;  // of them; all share its draft model
};

/// @param given   the draft model, the verification and the artifacts of all
/// @param target  must outlive the policies
/// @throws InputError where a policy was not calibrated or trained for the draft model
StopPolicies stop_policies(const methods::Ssd& given, const methods::MethodTarget& target);

}  // namespace outrider::calibrate
