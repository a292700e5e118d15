#pragma once

#include <string>

#include "runtime/evaluate/stop_study.h"

namespace outrider {

/// Reads of a study that study_json wrote what evaluate::stop_gain needs: the policies with the tokens and seconds
/// of every text, and what they were decoded with.
/// @throws InputError for anything else
evaluate::StopStudy read_stop_study(const std::string& path);

}  // namespace outrider
