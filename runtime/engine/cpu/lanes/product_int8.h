#pragma once

#include <array>
#include <utility>

#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/lanes/panel_block.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

/// One panel times R rows, with their sums in registers, blocks in order of k.
/// @param ahead  distance in bytes to the weights to prefetch
template <class L, class Quants, Packing P, int R>
void product_int8_tile(const Product& a, int panel, int row, std::size_t ahead) {
  const std::size_t blocks = static_cast<std::size_t>(a.inputs) / 32;
  const std::size_t first_row = static_cast<std::size_t>(row);
  const std::size_t stride = static_cast<std::size_t>(a.activation_stride);
  const std::size_t size = panel_bytes(P, a.inputs);
  const std::size_t lines_per_block = (size / blocks + 63) / 64;
  const std::uint8_t* weights = a.panels + static_cast<std::size_t>(panel) * size;
  const std::int8_t* quants = a.quants + first_row * 32;
  const BlockScale* scales = a.scales + first_row;
  L sums[R];
  unrolled<R>([&](int r) OUTRIDER_INLINE { sums[r] = L::zero(); });
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t line = 0; line < lines_per_block; ++line)
      __builtin_prefetch(weights + ahead + (b * lines_per_block + line) * 64);
    const PanelBlock<L, Quants, P> block(weights, b);
    block.add_to(sums, quants + b * stride * 32, scales + b * stride);
  }
  unrolled<R>([&](int r) OUTRIDER_INLINE {
    float* out = a.out + (first_row + static_cast<std::size_t>(r)) * a.out_stride +
                 static_cast<std::size_t>(panel) * 16;
    (a.accumulate ? L::load(out) + sums[r] : sums[r]).store(out);
  });
}

template <class L, class Quants, Packing P>
void product_int8(const Product& a) {
  constexpr int kMostRows = Quants::most_rows(BlockLayout<P>::kForm);
  using Tile = void (*)(const Product&, int, int, std::size_t);
  static constexpr auto kTiles = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<Tile, kMostRows>{product_int8_tile<L, Quants, P, I + 1>...};
  }
  (std::make_integer_sequence<int, kMostRows>{});
  // Tiles of about equal height: the more rows a tile has, the less a row costs.
  const int tiles = (a.rows + kMostRows - 1) / kMostRows;
  for (int panel = a.first_panel; panel < a.last_panel; ++panel) {
    for (int tile = 0; tile < tiles; ++tile) {
      const int begin = a.rows * tile / tiles;
      const int end = a.rows * (tile + 1) / tiles;
      // The last rows that use a panel prefetch the next one; the others find theirs in the cache.
      const bool last = tile + 1 == tiles && panel + 1 < a.last_panel;
      const std::size_t ahead = last ? panel_bytes(P, a.inputs) : 0;
      kTiles[static_cast<std::size_t>(end - begin - 1)](a, panel, begin, ahead);
    }
  }
}

}  // namespace outrider::engine::cpu
