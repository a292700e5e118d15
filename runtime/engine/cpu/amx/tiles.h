#pragma once

#include <cstddef>

#include "runtime/engine/cpu/amx/tile_config.h"

namespace outrider::engine::cpu::amx {

/// The processor's tiles, configured from construction to destruction; only where support() reports
/// them as reliable. Inline assembly because the intrinsics of GCC 12 do not tell the compiler that
/// a tile load reads memory, so that it may move the stores before it.
class Tiles {
 public:
  explicit Tiles(const TileConfig& config) { asm volatile("ldtilecfg %0" ::"m"(config)); }
  /// Tiles in use make context switches expensive.
  ~Tiles() { asm volatile("tilerelease"); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  template <int kTile>
  void zero() {
    asm volatile("tilezero %%tmm%c0" ::"i"(kTile));
  }
  /// @param stride  bytes between rows
  template <int kTile>
  void load(const void* from, std::ptrdiff_t stride) {
    asm volatile("tileloadd (%1,%2,1), %%tmm%c0" ::"i"(kTile), "r"(from), "r"(stride) : "memory");
  }
  template <int kTile>
  void store(void* to, std::ptrdiff_t stride) {
    asm volatile("tilestored %%tmm%c0, (%1,%2,1)" ::"i"(kTile), "r"(to), "r"(stride) : "memory");
  }
  /// sums[m, n] += sum over i of a[m, i] * b[i / 4, n, i % 4], a signed and b unsigned bytes; exact.
  template <int kSums, int kA, int kB>
  void dot() {
    asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSums), "i"(kA), "i"(kB));
  }
};

}  // namespace outrider::engine::cpu::amx
