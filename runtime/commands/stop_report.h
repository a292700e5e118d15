#pragma once

#include <string>

#include "runtime/evaluate/stop_study.h"

namespace outrider {

/// The study as a text table.
std::string study_text(const evaluate::StopStudy& study);
/// The study as JSON.
std::string study_json(const evaluate::StopStudy& study);
/// Latencies, and the oracle's lengths: how frequent, and where in the text; SVG.
std::string study_plot(const evaluate::StopStudy& study);

}  // namespace outrider
