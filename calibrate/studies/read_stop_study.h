#pragma once

#include <string>
#include <vector>

#include "data/study/stop_study.h"

namespace outrider::calibrate {

/// Reads a study that study_json wrote, as far as study::stop_gain needs it: the policies with the tokens and seconds
/// of every text, the temperature and the verification.
/// @throws InputError for anything else
study::StopStudy read_stop_study(const std::string& path);
/// Several, of the same policies. @throws InputError likewise, and for a study that differs from the first
std::vector<study::StopStudy> read_stop_studies(const std::vector<std::string>& paths);

}  // namespace outrider::calibrate
