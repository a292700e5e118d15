#pragma once

#include "calibrate/replay/replay.h"
#include "runtime/cost/trial.h"

namespace outrider::calibrate {

/// The passes of a replay as a trial of the settings that it had; its drafts take no passes.
/// @param shape  of its drafts
cost::Trial trial_of(const Replay& replay, cost::SettingValues settings, cost::Shape shape);

}  // namespace outrider::calibrate
