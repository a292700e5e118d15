#pragma once

#include <string>

#include "calibrate/studies/ssd_study.h"

namespace outrider::calibrate {

/// Tables for a person.
std::string ssd_findings_text(const SsdFindings& found);
/// One JSON object on a line.
std::string ssd_findings_json(const SsdFindings& found);
/// The speed-up over plain decoding by draft length: as replayed, and by the formula of Leviathan et al. (2023) with the
/// agreement of each task (figure 2 of Mamou et al. 2024); SVG.
std::string plot_of(const SsdFindings& found);

}  // namespace outrider::calibrate
