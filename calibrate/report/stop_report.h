#pragma once

#include <span>
#include <string>

#include "data/study/stop_study.h"

namespace outrider::calibrate {

/// The study as a text table.
std::string study_text(const study::StopStudy& study);
/// What the policies gain in the mean of studies of other prompts. @param studies  at least one, of the same policies
std::string summary_text(std::span<const study::StopStudy> studies);
/// The study as JSON.
std::string study_json(const study::StopStudy& study);
/// Latencies, and the oracle's lengths: how frequent, and where in the text; SVG.
std::string study_plot(const study::StopStudy& study);

}  // namespace outrider::calibrate
