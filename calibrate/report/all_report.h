#pragma once

#include <string>

#include "calibrate/studies/all_studies.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

/// What became of the studies, a line each. @param minutes  for all of them
std::string all_studies_text(const DoneStudies& done, double minutes);

/// The commands that decode with what was found, and what they do unless told otherwise:
/// "runtime decode --model MODEL.gguf: pld-plus-h, layer 12, draft-length 5". @param target  as they load it
std::string decoding_text(inference::Target& target, const StudyFiles& files);

}  // namespace outrider::calibrate
