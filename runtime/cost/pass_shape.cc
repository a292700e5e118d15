#include "runtime/cost/pass_shape.h"

#include <algorithm>
#include <cmath>

namespace outrider::cost {

std::vector<int> parents_of(Shape shape, int rows) {
  const int length = shape == Shape::kChain
                         ? rows
                         : std::max(1, static_cast<int>(std::sqrt(static_cast<double>(rows - 1))));
  std::vector<int> parents;
  for (int row = 0; row < rows; ++row) {
    const bool begins_chain = row > 0 && (row - 1) % length == 0;
    parents.push_back(begins_chain ? 0 : row - 1);
  }
  return parents;
}

}  // namespace outrider::cost
