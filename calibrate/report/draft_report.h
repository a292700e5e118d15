#pragma once

#include <string>

#include "calibrate/studies/draft_study.h"

namespace outrider::calibrate {

/// Tables for a person.
std::string draft_findings_text(const DraftFindings& found);
/// One JSON object on a line.
std::string draft_findings_json(const DraftFindings& found);

}  // namespace outrider::calibrate
