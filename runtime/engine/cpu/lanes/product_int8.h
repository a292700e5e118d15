#pragma once

#include <array>
#include <utility>

#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/lanes/panel_block.h"
#include "runtime/engine/cpu/lanes/product_unpacked.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

/// The part of the operands that a tile of panels and rows reads and writes.
template <Packing P>
struct TileOperands {
  std::size_t blocks;
  std::size_t stride;      // rows of activations of a block
  std::size_t panel_size;  // bytes
  std::size_t lines;       // cache lines of a block
  const std::uint8_t* weights;
  const std::int8_t* quants;
  const BlockScale* scales;
  float* out;

  TileOperands(const Product& a, int panel, int row)
      : blocks(static_cast<std::size_t>(a.inputs) / 32),
        stride(static_cast<std::size_t>(a.activation_stride)),
        panel_size(panel_bytes(P, a.inputs)),
        lines((panel_size / blocks + 63) / 64),
        weights(a.panels + static_cast<std::size_t>(panel) * panel_size),
        quants(a.quants + static_cast<std::size_t>(row) * 32),
        scales(a.scales + row),
        out(a.out + static_cast<std::size_t>(row) * a.out_stride +
            static_cast<std::size_t>(panel) * 16) {}

  /// Prefetches block b's share of the panel `ahead` bytes from the first.
  void prefetch(std::size_t b, std::size_t ahead) const {
    for (std::size_t line = 0; line < lines; ++line)
      __builtin_prefetch(weights + ahead + (b * lines + line) * 64);
  }
};

/// Writes the sums of a panel's R rows.
template <class L, int R>
OUTRIDER_INLINE inline void store_sums(const Product& a, const L (&sums)[R], float* out) {
  unrolled<R>([&](int r) OUTRIDER_INLINE {
    float* row = out + static_cast<std::size_t>(r) * a.out_stride;
    (a.accumulate ? L::load(row) + sums[r] : sums[r]).store(row);
  });
}

/// A tile of panels and rows. @param ahead  distance in bytes to the weights to prefetch
using ProductTile = void (*)(const Product& a, int panel, int row, std::size_t ahead);

/// One panel times R rows, with their sums in registers, blocks in order of k.
template <class L, class Quants, Packing P, int R>
void product_int8_tile(const Product& a, int panel, int row, std::size_t ahead) {
  const TileOperands<P> of(a, panel, row);
  L sums[R];
  unrolled<R>([&](int r) OUTRIDER_INLINE { sums[r] = L::zero(); });
  for (std::size_t b = 0; b < of.blocks; ++b) {
    of.prefetch(b, ahead);
    const PanelBlock<L, Quants, P> block(of.weights, b);
    block.add_to(sums, of.quants + b * of.stride * 32, of.scales + b * of.stride);
  }
  store_sums(a, sums, of.out);
}

/// The product of two panels. @param ahead  0: nothing is prefetched
template <class L, class Quants, Packing P, int R>
void product_int8_pair(const Product& a, int panel, int row, std::size_t ahead) {
  const TileOperands<P> of(a, panel, row);
  L sums[2][R];
  unrolled<R>([&](int r) OUTRIDER_INLINE { sums[0][r] = sums[1][r] = L::zero(); });
  for (std::size_t b = 0; b < of.blocks; ++b) {
    if (ahead > 0) {
      of.prefetch(b, ahead);
      of.prefetch(b, ahead + of.panel_size);
    }
    using Block = PanelBlock<L, Quants, P>;
    const Block first(of.weights, b);
    const Block second(of.weights + of.panel_size, b);
    Block::add_pair_to(first, second, sums, of.quants + b * of.stride * 32,
                       of.scales + b * of.stride);
  }
  store_sums(a, sums[0], of.out);
  store_sums(a, sums[1], of.out + 16);
}

/// The rows [0, rows) of `width` panels in tiles of about equal height, at most `most`: the more
/// rows a tile has, the less a row costs.
/// @param tile_of  the tile of a height
template <class TileOf>
void product_int8_rows(const Product& a, int panel, int width, int most, std::size_t panel_size,
                       const TileOf& tile_of) {
  const int tiles = (a.rows + most - 1) / most;
  for (int tile = 0; tile < tiles; ++tile) {
    const int begin = a.rows * tile / tiles;
    const int end = a.rows * (tile + 1) / tiles;
    // The last rows that use a panel prefetch the next one; the others find theirs in the cache.
    const bool last = tile + 1 == tiles && panel + width < a.last_panel;
    tile_of(end - begin)(a, panel, begin, last ? static_cast<std::size_t>(width) * panel_size : 0);
  }
}

template <class L, class Quants, Packing P>
void product_int8(const Product& a) {
  constexpr int kUnpack = Quants::rows_to_unpack(BlockLayout<P>::kBits);
  if constexpr (kUnpack > 0)
    if (a.rows >= kUnpack) return product_unpacked<L, Quants, P>(a);
  constexpr int kMostRows = Quants::most_rows(BlockLayout<P>::kForm);
  static constexpr auto kTiles = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<ProductTile, kMostRows>{product_int8_tile<L, Quants, P, I + 1>...};
  }
  (std::make_integer_sequence<int, kMostRows>{});
  const std::size_t size = panel_bytes(P, a.inputs);
  int panel = a.first_panel;
  constexpr int kPairRows = Quants::most_pair_rows(BlockLayout<P>::kForm);
  if constexpr (kPairRows > 0) {
    // More than two tiles of equal height have at least 4, 5 … of 6 rows.
    static_assert(kPairRows == 6 && kMostRows == 2 * kPairRows);
    static constexpr std::array<ProductTile, 3> kPairs = {product_int8_pair<L, Quants, P, 4>,
                                                          product_int8_pair<L, Quants, P, 5>,
                                                          product_int8_pair<L, Quants, P, 6>};
    for (; a.rows > kMostRows && panel + 1 < a.last_panel; panel += 2)
      product_int8_rows(a, panel, 2, kPairRows, size,
                        [](int rows) { return kPairs[static_cast<std::size_t>(rows - 4)]; });
  }
  for (; panel < a.last_panel; ++panel)
    product_int8_rows(a, panel, 1, kMostRows, size,
                      [](int rows) { return kTiles[static_cast<std::size_t>(rows - 1)]; });
}

}  // namespace outrider::engine::cpu
