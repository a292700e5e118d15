#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/report/drawing.h"

namespace outrider::report {

/// Panels of coloured cells with their numbers, side by side: rows down, columns across.
struct HeatMap {
  std::string title;
  std::string row_name, column_name;
  std::vector<int> rows, columns;
  std::vector<std::string> panels;  // their titles
  std::function<double(std::size_t panel, int row, int column)> value;
  int decimals = 1;          // of the numbers in the cells
  bool by_logarithm = true;  // colour scale; values are above 0
};

/// Colours range from the smallest value to the largest.
Drawing drawn(const HeatMap& map);

}  // namespace outrider::report
