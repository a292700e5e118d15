#pragma once

#include <string>

#include "calibrate/studies/graph_study.h"

namespace outrider::calibrate {

/// Tables for a person.
std::string graph_findings_text(const GraphFindings& found);
/// One JSON object on a line.
std::string graph_findings_json(const GraphFindings& found);

}  // namespace outrider::calibrate
