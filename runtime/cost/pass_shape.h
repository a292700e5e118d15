#pragma once

#include <cstdint>
#include <vector>

namespace outrider::cost {

/// What the cost of a pass depends on, besides the machine and the number of threads.
enum class Shape : std::uint8_t {
  kChain,  // each row after the one before
  kTree,   // as many chains as they are long, below a root
};

struct PassPoint {
  Shape shape = Shape::kChain;
  int rows = 1;     // new ones, the root included
  int context = 0;  // tokens before them
};

/// The parent of each row among the rows, -1 for the first. Parents come before their children.
std::vector<int> parents_of(Shape shape, int rows);

}  // namespace outrider::cost
