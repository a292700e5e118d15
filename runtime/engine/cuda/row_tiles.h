#pragma once

#include <vector>

#include "runtime/engine/cuda/kernel_args.h"
#include "runtime/engine/cuda/pass_graphs.h"
#include "runtime/engine/pass.h"
#include "runtime/engine/pass_layout.h"

namespace outrider::engine::cuda {

/// Divides the rows of a prefill into tiles of attention. Reused for one pass after another, it allocates for larger ones
/// only.
class RowTiles {
 public:
  /// Finds none for a pass of few rows, where most rows follow no other, and for shapes that tiles have no room for.
  void find(const Pass& pass, const PassLayout& layout, const HeadShape& shape);

  const std::vector<RowTile>& all() const { return tiles_; }

  /// A pass of fewer rows has none: its launches are recorded, and tiles differ from pass to pass.
  static constexpr int kFewestRows = PassGraphs::kMostRows + 1;

 private:
  std::vector<RowTile> tiles_;
};

}  // namespace outrider::engine::cuda
