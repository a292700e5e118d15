#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/methods/calibrated_draft.h"
#include "runtime/methods/loaded_draft.h"
#include "train/disco/choose_stops.h"

namespace outrider::train {

/// The times of rounds on this machine: passes as the cost model of the artifacts has them, else timed now; a
/// step of the draft model as a share of a pass, as `calibrate draft` measured it here, else timed now.
/// @param artifact_file  a file, or a folder; empty: those in checkpoints/
/// @param calibrated     the draft model's calibration, if there is one
RoundTimes round_times(const methods::MethodTarget& target, const std::string& artifact_file,
                       const std::optional<methods::CalibratedDraft>& calibrated,
                       const std::shared_ptr<const methods::LoadedDraft>& draft);

}  // namespace outrider::train
