#pragma once

#include <string>
#include <utility>
#include <vector>

namespace outrider::measure {

/// Lines over the same points.
struct LineChart {
  std::string title;
  std::string x_name;
  std::vector<double> x;                                           // [points], ascending
  std::vector<std::pair<std::string, std::vector<double>>> lines;  // names, [points] each
};

/// Charts side by side, as one SVG picture. The vertical axis goes from the smallest value of a chart
/// to its largest. @throws std::logic_error for lines of another length
std::string svg_of(const std::vector<LineChart>& charts);

}  // namespace outrider::measure
