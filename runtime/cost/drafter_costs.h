#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace outrider::cost {

/// What a step of each drafter takes on one machine, the pass of the target apart.
struct DrafterCosts {
  struct Drafter {
    std::string name;             // of the method
    std::vector<double> seconds;  // [contexts] medians
    std::vector<double> low;      // [contexts] a tenth of the steps took less
    std::vector<double> high;     // [contexts] a tenth of them took more
  };

  std::vector<std::int32_t> contexts;  // tokens of the text when the step begins
  std::vector<Drafter> drafters;
};

}  // namespace outrider::cost
