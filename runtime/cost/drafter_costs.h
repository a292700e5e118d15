#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace outrider::cost {

/// Time of a step of each drafter on one machine, without the target's pass.
struct DrafterCosts {
  struct Drafter {
    std::string name;             // of the method
    std::vector<double> seconds;  // [contexts] medians
    std::vector<double> low;      // [contexts] a tenth of the steps took less
    std::vector<double> high;     // [contexts] a tenth of them took more
  };

  std::vector<std::int32_t> contexts;  // tokens before the step
  std::vector<Drafter> drafters;
};

}  // namespace outrider::cost
