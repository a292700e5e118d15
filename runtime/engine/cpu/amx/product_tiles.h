#pragma once

#include <array>
#include <utility>

#include "runtime/engine/cpu/amx/products.h"
#include "runtime/engine/cpu/amx/tile_config.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/lanes/weight_scales.h"

namespace outrider::engine::cpu::amx {

constexpr int kTileRows = 16;
/// Of a tile, where the rows take two at least.
constexpr int kFewestHeight = kTileRows / 2 + 1;
static_assert(kFewestHeight <= kFewestRows);
/// Blocks unpacked at a time, for all rows of up to kMostTiles tiles: 4 KB of weights and 8 KB of
/// sums, which stay in the L1 cache.
constexpr int kChunkBlocks = 8;
constexpr int kMostTiles = 8;

/// Consecutive blocks of a panel with their weights in the tiles' layout: [8, 16, 4] bytes each.
template <class Quants, Packing P>
class WeightChunk {
 public:
  /// @param ahead  distance in bytes to the weights to prefetch
  void read(const std::uint8_t* panel, int first, int count, std::size_t ahead) {
    constexpr std::size_t kLines = (Layout::kGroupBytes / Layout::kGroup + 63) / 64;
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* packed = Layout::quants(panel, static_cast<std::size_t>(first + i));
      for (std::size_t line = 0; line < kLines; ++line)
        __builtin_prefetch(packed + ahead + 64 * line);
      if constexpr (Layout::kBits == 8) {  // already in the tiles' layout
        blocks_[i] = packed;
      } else {
        Quants::template of<Layout::kBits>(packed).template unpack<Layout::kBits>(unpacked_[i]);
        blocks_[i] = unpacked_[i];
      }
    }
  }

  const std::uint8_t* block(int i) const { return blocks_[i]; }

 private:
  using Layout = BlockLayout<P>;

  const std::uint8_t* blocks_[kChunkBlocks];
  alignas(64) std::uint8_t unpacked_[kChunkBlocks][512];
};

/// The product for R rows at a time. Tiles compute the integer products inside a block; scaling and
/// adding are the same as in every instruction set, so the bits are the same.
template <class L, class Quants, class Tiles, Packing P, int R>
class TileProduct {
 public:
  /// @param tiles  tile t takes R rows from row rows * t / tiles; consecutive tiles may overlap in
  ///               rows
  static void run(const Product& a, int tiles) {
    TileProduct product(a);
    for (int panel = a.first_panel; panel < a.last_panel; ++panel)
      for (int first = 0; first < tiles; first += kMostTiles)
        product.run_panel(panel, tiles, first,
                          tiles - first < kMostTiles ? tiles : first + kMostTiles);
  }

 private:
  using Layout = BlockLayout<P>;
  /// Whether sums are needed separately for the first and the last 16 inputs of a block.
  static constexpr int kParts = has_halves(Layout::kForm) ? 2 : 1;
  static constexpr int kInputs = 32 / kParts;
  /// The number of blocks whose products are in tiles at the same time.
  static constexpr int kBatch = kProductTiles / kParts;

  /// The integer products of a batch, stored from the tiles.
  struct alignas(64) Integers {
    std::int32_t sums[kBatch][kParts][R][16];
  };

  explicit TileProduct(const Product& a)
      : a_(a), config_(tile_config(R, kInputs)), tiles_(config_) {}

  /// One panel times the rows of tiles [first, last) out of `tiles`.
  void run_panel(int panel, int tiles, int first, int last) {
    const int blocks = a_.inputs / 32;
    const std::size_t size = panel_bytes(P, a_.inputs);
    const std::uint8_t* weights = a_.panels + static_cast<std::size_t>(panel) * size;
    // The last rows that use a panel prefetch the next one.
    const bool next = last == tiles && panel + 1 < a_.last_panel;
    for (int block = 0; block < blocks; block += kChunkBlocks) {
      const int count = blocks - block < kChunkBlocks ? blocks - block : kChunkBlocks;
      chunk_.read(weights, block, count, next ? size : 0);
      for (int tile = first; tile < last; ++tile)
        add_chunk(weights, block, count, row_of(tile, tiles), sums_[tile - first]);
    }
    for (int tile = first; tile < last; ++tile)
      write(sums_[tile - first], panel, row_of(tile, tiles), row_of(tile + 1, tiles));
  }

  int row_of(int tile, int tiles) const { return a_.rows * tile / tiles; }

  /// Adds the products of blocks [block, block + count) of the chunk to the sums of R rows; block 0
  /// starts from zero.
  void add_chunk(const std::uint8_t* weights, int block, int count, int row, float (&kept)[R][16]) {
    L sums[R];
    for (int r = 0; r < R; ++r) sums[r] = block == 0 ? L::zero() : L::load(kept[r]);
    const auto index = [&](int b) {  // of block b of the chunk for the first row
      return static_cast<std::size_t>(block + b) * static_cast<std::size_t>(a_.activation_stride) +
             static_cast<std::size_t>(row);
    };
    // The tiles compute the next batch while this one is scaled and added.
    for (int b = 0; b < count + kBatch; b += kBatch) {
      if (b < count)
        multiply(
            b, count, [&](int i) { return a_.quants + 32 * index(i); },
            std::make_integer_sequence<int, kProductTiles>{});
      for (int i = b - kBatch; i >= 0 && i < b && i < count; ++i)
        add_block({weights, static_cast<std::size_t>(block + i)}, i, a_.scales + index(i), sums);
    }
    for (int r = 0; r < R; ++r) sums[r].store(kept[r]);
  }

  Integers& integers_of(int b) { return integers_[b / kBatch % 2]; }

  /// Multiplies the batch of blocks that starts at b.
  template <class QuantsOf, int... I>
  void multiply(int b, int count, const QuantsOf& quants_of, std::integer_sequence<int, I...>) {
    Integers& out = integers_of(b);
    ((b + I / kParts < count
          ? multiply_part<I>(chunk_.block(b + I / kParts), quants_of(b + I / kParts),
                             out.sums[I / kParts][I % kParts])
          : void()),
     ...);
  }

  template <int I>
  void multiply_part(const std::uint8_t* weights, const std::int8_t* quants,
                     std::int32_t (&out)[R][16]) {
    constexpr int kA = kActivations + I % 2;
    constexpr int kB = kWeights + I % 2;
    constexpr int kPart = I % kParts;
    tiles_.template load<kA>(quants + kInputs * kPart, 32);
    tiles_.template load<kB>(weights + 16 * kInputs * kPart, 64);
    tiles_.template zero<I>();
    tiles_.template dot<I, kA, kB>();
    tiles_.template store<I>(out, 64);
  }

  void add_block(const WeightScales<L, P>& scales, int b, const BlockScale* rows, L (&sums)[R]) {
    const auto& integers = integers_of(b).sums[b % kBatch];
    for (int r = 0; r < R; ++r) {
      L products;
      if constexpr (has_halves(Layout::kForm)) {
        products = Quants::template finish_halves<Layout::kBits>(integers[0][r], integers[1][r],
                                                                 rows[r], scales.halves());
      } else {
        std::int32_t start = 0;
        if constexpr (has_start(Layout::kForm)) start = Layout::start(rows[r]);
        products = Quants::finish(integers[0][r], start);
      }
      sums[r] = scales.added(sums[r], products, rows[r]);
    }
  }

  void write(const float (&sums)[R][16], int panel, int begin, int end) {
    for (int row = begin; row < end; ++row) {
      float* out = a_.out + static_cast<std::size_t>(row) * a_.out_stride +
                   static_cast<std::size_t>(panel) * 16;
      const L sum = L::load(sums[row - begin]);
      (a_.accumulate ? L::load(out) + sum : sum).store(out);
    }
  }

  const Product& a_;
  TileConfig config_;
  Tiles tiles_;
  WeightChunk<Quants, P> chunk_;
  Integers integers_[2];
  alignas(64) float sums_[kMostTiles][R][16];
};

/// A product by tiles of about equal height; for few rows `kFew` computes it instead.
template <class L, class Quants, class Tiles, const Kernels& kFew, Packing P>
void product_tiles(const Product& a) {
  if (a.rows < kFewestRows) {
    kFew.product(P, a);
    return;
  }
  using Run = void (*)(const Product&, int);
  static constexpr auto kHeights = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<Run, sizeof...(I)>{
        TileProduct<L, Quants, Tiles, P, kFewestHeight + I>::run...};
  }
  (std::make_integer_sequence<int, kTileRows - kFewestHeight + 1>{});
  const int tiles = (a.rows + kTileRows - 1) / kTileRows;
  const int height = (a.rows + tiles - 1) / tiles;
  kHeights[static_cast<std::size_t>(height - kFewestHeight)](a, tiles);
}

template <class L, class Quants, class Tiles, const Kernels& kFew>
constexpr Products tile_products() {
  // In the order of Packing.
  return {nullptr,
          nullptr,
          nullptr,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU4>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU4Min>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU5>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU5Min>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU8>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU4Super>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU5Super>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU6Super>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU2Super>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU8Super>,
          product_tiles<L, Quants, Tiles, kFew, Packing::kU8Float>};
}

}  // namespace outrider::engine::cpu::amx
