#pragma once

#include <string>

#include "calibrate/studies/gsd_study.h"

namespace outrider::calibrate {

/// Tables for a person.
std::string gsd_findings_text(const GsdFindings& found);
/// One JSON object on a line.
std::string gsd_findings_json(const GsdFindings& found);

}  // namespace outrider::calibrate
