#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace outrider::train {

/// The loss and the validation's score over steps, as an SVG file. @param lines  of a MetricsFile
std::string curves_svg(const std::vector<nlohmann::ordered_json>& lines);

}  // namespace outrider::train
