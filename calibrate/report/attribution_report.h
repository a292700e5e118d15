#pragma once

#include <string>
#include <vector>

#include "calibrate/studies/attribution_study.h"

namespace outrider::calibrate {

/// The scores as a text table. @param texts  answers that were scored
std::string attribution_text(const std::vector<study::AttributionScore>& scores, std::size_t texts);
/// The same as JSON, with what they depend on.
std::string attribution_json(const std::vector<study::AttributionScore>& scores, std::size_t texts,
                             const AttributionStudy& study, const methods::PreparedMethod& method,
                             const inference::Target& target);

}  // namespace outrider::calibrate
