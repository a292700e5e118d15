#pragma once

#include <vector>

namespace outrider::draft {

/// What passes cost after texts of a certain length.
struct LengthCosts {
  int from = 0;                 // tokens of the text, from which on
  std::vector<double> seconds;  // [1 + longest] of passes of 1, 2, … rows
};

}  // namespace outrider::draft
