#pragma once

#include <string>

#include "calibrate/studies/grid_study.h"

namespace outrider::calibrate {

/// The results as a text table, with the fastest cell.
std::string study_text(const GridReport& report);
/// The results as JSON.
std::string study_json(const GridReport& report);
/// Two heat maps: tokens per call and speed-up.
std::string study_plot(const GridReport& report);

}  // namespace outrider::calibrate
