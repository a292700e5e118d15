#pragma once

#include <string>

#include "runtime/cost/trials.h"

namespace outrider::calibrate {

/// SVG, for each temperature: over the values of each setting that is a number, the most tokens per pass of the trials with
/// that value, and how many tokens that trial drafts a round.
std::string plot_of(const cost::Trials& trials);

}  // namespace outrider::calibrate
