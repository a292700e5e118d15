#pragma once

#include <string>

#include "calibrate/studies/parallelspec_study.h"

namespace outrider::calibrate {

/// Tables for a person.
std::string parallelspec_findings_text(const ParallelSpecFindings& found);
/// One JSON object on a line.
std::string parallelspec_findings_json(const ParallelSpecFindings& found);

}  // namespace outrider::calibrate
