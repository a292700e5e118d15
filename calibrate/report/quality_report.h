#pragma once

#include <string>

#include "calibrate/studies/quality_study.h"

namespace outrider::calibrate {

/// What was found as a text. @param found  of at least one token
std::string quality_text(const FoundQuality& found, const QualityStudy& study,
                         const inference::Target& target);
/// The same as JSON.
std::string quality_json(const FoundQuality& found, const QualityStudy& study,
                         const inference::Target& target);

}  // namespace outrider::calibrate
