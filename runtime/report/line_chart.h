#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/report/drawing.h"

namespace outrider::report {

/// Lines over the same points.
struct LineChart {
  std::string title;
  std::string x_name, y_name;
  std::vector<double> x;                                           // [points], ascending
  std::vector<std::pair<std::string, std::vector<double>>> lines;  // names, [points] each
  bool by_logarithm = false;  // horizontal scale; all x are above 0
};

/// The vertical axis ranges from the smallest value to the largest.
/// @throws std::logic_error for lines of another length
Drawing drawn(const LineChart& chart);

}  // namespace outrider::report
