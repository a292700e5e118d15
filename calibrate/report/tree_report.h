#pragma once

#include <string>

#include "calibrate/studies/tree_study.h"

namespace outrider::calibrate {

/// Tables for a person.
std::string tree_findings_text(const TreeFindings& found);
/// One JSON object on a line.
std::string tree_findings_json(const TreeFindings& found);

}  // namespace outrider::calibrate
