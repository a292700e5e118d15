#pragma once

#include <cstdint>
#include <vector>

namespace outrider::cost {

/// What the cost of a pass depends on, besides the machine and the number of threads.
enum class Shape : std::uint8_t {
  kChain,  // each row after the one before
  kTree,   // k chains of k tokens below a root
};

struct PassPoint {
  Shape shape = Shape::kChain;
  int rows = 1;       // rows of the pass, the root included, of all sequences together
  int context = 0;    // tokens before them
  int sequences = 1;  // which the rows are divided among evenly
  bool operator==(const PassPoint&) const = default;
};

/// [rows] the parent of each row, -1 for the first. Parents come before their children.
std::vector<int> parents_of(Shape shape, int rows);

}  // namespace outrider::cost
