#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/cost/trial_prices.h"
#include "runtime/methods/calibrated_trials.h"
#include "runtime/methods/loaded_draft.h"

namespace outrider::train {

/// What rounds cost on this machine: passes as the cost model of the artifacts has them, else timed now; a
/// step of the draft model as a share of a pass, as `calibrate ssd` measured it here, else timed now.
/// @param artifact_file  a file, or a folder; empty: those in checkpoints/
/// @param calibrated     the draft model's calibration, if there is one
cost::TrialPrices round_prices(const methods::MethodTarget& target,
                               const std::string& artifact_file,
                               const std::optional<methods::CalibratedTrials>& calibrated,
                               const std::shared_ptr<const methods::LoadedDraft>& draft);

/// Prices in passes: a draft step takes `ratio`, a pass over any number of rows 1, as equation 1 of DISCO (Mamou
/// et al. 2024) and of Leviathan et al. (2023) assumes.
cost::TrialPrices prices_of_ratio(double ratio);

}  // namespace outrider::train
