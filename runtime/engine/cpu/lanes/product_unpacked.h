#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/lanes/panel_block.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

/// Blocks of a panel that are unpacked once for all rows of a pass: bytes for weights, floats for scales.
/// They stay in the first cache while the rows are multiplied.
template <class L, class Quants, Packing P>
class UnpackedBlocks {
 public:
  static constexpr std::size_t kMost = 16;  // a multiple of BlockLayout::kGroup

  /// Unpacks the blocks [first, first + count) of a panel and prefetches those after them.
  void unpack(const std::uint8_t* panel, std::size_t first, std::size_t count) {
    using Layout = BlockLayout<P>;
    for (std::size_t b = 0; b < count; ++b) {
      const std::uint8_t* packed = Layout::quants(panel, first + b);
      for (std::size_t i = 0; i < Layout::kGroupBytes / Layout::kGroup; i += 64)
        __builtin_prefetch(packed + kMost / Layout::kGroup * Layout::kGroupBytes + i);
      Quants::template of<Layout::kBits>(packed).template unpack<Layout::kBits>(quants_[b]);
      scales_[b] = {panel, first + b};
    }
  }

  auto operator[](std::size_t b) const {
    using Unpacked = typename Quants::Unpacked;
    return PanelBlock<L, Unpacked, P>({quants_[b]}, scales_[b]);
  }

 private:
  alignas(64) std::uint8_t quants_[kMost][512];
  WeightScales<L, P> scales_[kMost];
};

/// The product of packed weights with many rows. Sums wait in memory from some blocks of a panel to the
/// next, which leaves their bits as they are.
template <class L, class Quants, Packing P>
class UnpackedProduct {
 public:
  explicit UnpackedProduct(const Product& a) : a_(a) {}

  void run() {
    for (int panel = a_.first_panel; panel < a_.last_panel; ++panel)
      for (int row = 0; row < a_.rows; row += kMostRows)
        multiply(panel, row, std::min(kMostRows, a_.rows - row));
  }

 private:
  static constexpr int kMostRows = 64;  // of sums
  static constexpr int kMostInTile = Quants::most_rows(BlockLayout<P>::kForm);

  /// One panel times the rows [row, row + count).
  void multiply(int panel, int row, int count) {
    const std::uint8_t* weights =
        a_.panels + static_cast<std::size_t>(panel) * panel_bytes(P, a_.inputs);
    const std::size_t blocks = static_cast<std::size_t>(a_.inputs) / 32;
    const int tiles = (count + kMostInTile - 1) / kMostInTile;
    std::fill_n(sums_, count * 16, 0.0f);
    for (std::size_t first = 0; first < blocks; first += blocks_.kMost) {
      const std::size_t last = std::min(blocks, first + blocks_.kMost);
      blocks_.unpack(weights, first, last - first);
      for (int tile = 0; tile < tiles; ++tile) {
        const int begin = count * tile / tiles;
        const int height = count * (tile + 1) / tiles - begin;
        (this->*kTiles[static_cast<std::size_t>(height - 1)])(first, last, row, begin);
      }
    }
    for (int i = 0; i < count; ++i) {
      float* out = a_.out + static_cast<std::size_t>(row + i) * a_.out_stride +
                   static_cast<std::size_t>(panel) * 16;
      const L sum = L::load(sums_ + i * 16);
      (a_.accumulate ? L::load(out) + sum : sum).store(out);
    }
  }

  /// Adds the blocks [first, last) to the sums of R rows from `row` + `begin` on.
  template <int R>
  void add_blocks(std::size_t first, std::size_t last, int row, int begin) {
    const std::size_t stride = static_cast<std::size_t>(a_.activation_stride);
    const std::size_t first_row = static_cast<std::size_t>(row + begin);
    L sums[R];
    unrolled<R>([&](int r) OUTRIDER_INLINE { sums[r] = L::load(sums_ + (begin + r) * 16); });
    for (std::size_t b = first; b < last; ++b)
      blocks_[b - first].add_to(sums, a_.quants + (b * stride + first_row) * 32,
                                a_.scales + b * stride + first_row);
    unrolled<R>([&](int r) OUTRIDER_INLINE { sums[r].store(sums_ + (begin + r) * 16); });
  }

  using Tile = void (UnpackedProduct::*)(std::size_t first, std::size_t last, int row, int begin);
  static constexpr auto kTiles = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<Tile, kMostInTile>{&UnpackedProduct::add_blocks<I + 1>...};
  }
  (std::make_integer_sequence<int, kMostInTile>{});

  const Product& a_;
  UnpackedBlocks<L, Quants, P> blocks_;
  alignas(64) float sums_[kMostRows * 16];  // [rows, 16]
};

template <class L, class Quants, Packing P>
void product_unpacked(const Product& a) {
  UnpackedProduct<L, Quants, P>(a).run();
}

}  // namespace outrider::engine::cpu
