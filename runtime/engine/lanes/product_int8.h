#pragma once

#include <algorithm>
#include <utility>

#include "runtime/engine/kernels.h"
#include "runtime/engine/lanes/panel_block.h"

namespace outrider::engine {

/// One panel times R rows, their sums in registers, blocks in order of k.
/// @param ahead  bytes to the weights to fetch meanwhile
template <class L, class Quants, Packing P, int R>
void product_int8_tile(const Product& a, int panel, int row, std::size_t ahead) {
  const std::size_t blocks = static_cast<std::size_t>(a.inputs) / 32;
  const std::size_t first_row = static_cast<std::size_t>(row);
  const std::size_t size = panel_bytes(P, a.inputs);
  const std::size_t lines_per_block = (size / blocks + 63) / 64;
  const std::uint8_t* weights = a.panels + static_cast<std::size_t>(panel) * size;
  const std::int8_t* quants = a.quants + first_row * blocks * 32;
  const BlockScale* scales = a.scales + first_row * blocks;
  L sums[R];
  for (L& sum : sums) sum = L::zero();
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t line = 0; line < lines_per_block; ++line)
      __builtin_prefetch(weights + ahead + (b * lines_per_block + line) * 64);
    const PanelBlock<L, Quants, P> block(weights, b);
    for (std::size_t r = 0; r < R; ++r)
      sums[r] = block.template add_to<(R < 3)>(sums[r], quants + (r * blocks + b) * 32,
                                               scales[r * blocks + b]);
  }
  for (std::size_t r = 0; r < R; ++r) {
    float* out = a.out + (first_row + r) * a.out_stride + static_cast<std::size_t>(panel) * 16;
    (a.accumulate ? L::load(out) + sums[r] : sums[r]).store(out);
  }
}

template <class L, class Quants, Packing P>
void product_int8(const Product& a) {
  constexpr int kMostRows = Quants::kMostRows;
  using Tile = void (*)(const Product&, int, int, std::size_t);
  static constexpr auto kTiles = []<int... I>(std::integer_sequence<int, I...>) {
    struct {
      Tile of_rows[kMostRows];
    } tiles = {{product_int8_tile<L, Quants, P, I + 1>...}};
    return tiles;
  }
  (std::make_integer_sequence<int, kMostRows>{});
  for (int panel = a.first_panel; panel < a.last_panel; ++panel) {
    for (int row = 0; row < a.rows; row += kMostRows) {
      const int rows = std::min(a.rows - row, kMostRows);
      // The last rows that use a panel fetch the next one; the others find theirs in the cache.
      const bool last = row + rows == a.rows && panel + 1 < a.last_panel;
      kTiles.of_rows[rows - 1](a, panel, row, last ? panel_bytes(P, a.inputs) : 0);
    }
  }
}

}  // namespace outrider::engine
