#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/cpu/amx/tile_config.h"

namespace outrider::engine::cpu::plain {

/// What amx::Tiles does, in plain C++ after the instructions' descriptions (Intel SDM, volume 2):
/// tiles as they are on every machine. Where the processor would raise an exception, so do these.
class PlainTiles {
 public:
  explicit PlainTiles(const amx::TileConfig& config);

  template <int kTile>
  void zero() {
    tile_zero(kTile);
  }
  template <int kTile>
  void load(const void* from, std::ptrdiff_t stride) {
    tile_load(kTile, from, stride);
  }
  template <int kTile>
  void store(void* to, std::ptrdiff_t stride) {
    tile_store(kTile, to, stride);
  }
  template <int kSums, int kA, int kB>
  void dot() {
    tile_dot(kSums, kA, kB);
  }

 private:
  // Not inline: a caller compiled for some processor must not lend them its instructions.
  void tile_zero(int tile);
  void tile_load(int tile, const void* from, std::ptrdiff_t stride);
  void tile_store(int tile, void* to, std::ptrdiff_t stride);
  void tile_dot(int sums, int a, int b);

  int rows_[8];
  int row_bytes_[8];
  std::uint8_t bytes_[8][16][64] = {};
};

}  // namespace outrider::engine::cpu::plain
