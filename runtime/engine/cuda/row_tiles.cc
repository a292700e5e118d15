#include "runtime/engine/cuda/row_tiles.h"

#include <cstddef>

namespace outrider::engine::cuda {
namespace {

/// Below this many rows a tile, on average, more blocks are better.
constexpr std::size_t kFewestOfTile = 2;

bool is_in_order(const RowLayout& row) { return row.contiguous == row.position + 1; }

}  // namespace

void RowTiles::find(const Pass& pass, const PassLayout& layout, const HeadShape& shape) {
  tiles_.clear();
  const int rows = static_cast<int>(pass.rows.size());
  const int most = kMostTiledQueries / (shape.heads / shape.kv_heads);
  if (rows < kFewestRows || most < 2 || shape.head_width > kMostTiledWidth) return;
  for (int i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool follows = i > 0 && tiles_.back().rows < most &&
                         pass.rows[at].sequence == pass.rows[at - 1].sequence &&
                         layout[at].position == layout[at - 1].position + 1 &&
                         is_in_order(layout[at - 1]);
    if (!is_in_order(layout[at])) return tiles_.clear();
    if (follows) {
      ++tiles_.back().rows;
    } else {
      tiles_.push_back({i, 1});
    }
  }
  if (tiles_.size() * kFewestOfTile > pass.rows.size()) tiles_.clear();
}

}  // namespace outrider::engine::cuda
