#include "runtime/decode/row_share.h"

#include <algorithm>

namespace outrider::decode {

void share_rows_evenly(std::span<RowShare> sequences, int rows) {
  if (sequences.empty()) return;
  const int each = std::max(rows, 0) / static_cast<int>(sequences.size());
  for (RowShare& one : sequences) one.nodes = std::min(one.nodes, each);
}

}  // namespace outrider::decode
