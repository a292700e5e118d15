#pragma once

#include <string>

#include "runtime/evaluate/stop_study.h"

namespace outrider {

/// Reads a study that study_json wrote, as far as evaluate::stop_gain needs it: the policies with the tokens and seconds
/// of every text, the temperature and the verification.
/// @throws InputError for anything else
evaluate::StopStudy read_stop_study(const std::string& path);

}  // namespace outrider
