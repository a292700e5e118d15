#pragma once

#include <string>

#include "calibrate/studies/draft_study.h"

namespace outrider::calibrate {

/// Tables for a person.
std::string draft_findings_text(const DraftFindings& found);
/// One JSON object on a line.
std::string draft_findings_json(const DraftFindings& found);
/// The speed-up over plain decoding by draft length: as replayed, and by the formula of Leviathan et al. (2023) with the
/// agreement of each task (figure 2 of Mamou et al. 2024); SVG.
std::string plot_of(const DraftFindings& found);

}  // namespace outrider::calibrate
