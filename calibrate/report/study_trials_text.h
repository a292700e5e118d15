#pragma once

#include <string>

#include "calibrate/studies/study_trials.h"

namespace outrider::calibrate {

/// What is chosen of a method's trials on this machine, whose times are told, as text.
/// @param machine  its name
std::string study_trials_text(const StudyTrials& found, const std::string& machine);

}  // namespace outrider::calibrate
