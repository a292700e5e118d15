#pragma once

#include <span>
#include <string>

#include "runtime/evaluate/stop_study.h"

namespace outrider {

/// The study as a text table.
std::string study_text(const evaluate::StopStudy& study);
/// What the policies gain in the mean of studies of other prompts. @param studies  at least one, of the same policies
std::string summary_text(std::span<const evaluate::StopStudy> studies);
/// The study as JSON.
std::string study_json(const evaluate::StopStudy& study);
/// Latencies, and the oracle's lengths: how frequent, and where in the text; SVG.
std::string study_plot(const evaluate::StopStudy& study);

}  // namespace outrider
