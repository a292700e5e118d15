#pragma once

#include <string>

#include "calibrate/report/gsd_report.h"

namespace outrider::calibrate {

/// SVG, for each temperature: tokens per pass and drafted nodes over k, tau and both thetas (figure 5 of Gong et
/// al. 2024), and the speed-up predicted on this machine by the number of children.
std::string plot_of(const GsdFindings& found);

}  // namespace outrider::calibrate
