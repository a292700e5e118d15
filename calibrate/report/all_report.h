#pragma once

#include <string>

#include "calibrate/studies/all_studies.h"
#include "runtime/methods/method_target.h"

namespace outrider::calibrate {

/// What became of the studies, a line each. @param minutes  for all of them
std::string all_studies_text(const DoneStudies& done, double minutes);

/// What decoding does unless told otherwise: "pld-plus-h, layer 12, draft-length 5".
/// @param artifacts  as --artifacts of decoding
std::string default_method_text(const methods::MethodTarget& target, const std::string& artifacts);

}  // namespace outrider::calibrate
