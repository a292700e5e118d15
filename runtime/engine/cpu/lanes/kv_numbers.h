#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/engine/cpu/kv_layout.h"
#include "runtime/engine/cpu/lanes/quantise_row.h"
#include "runtime/engine/cpu/lanes/unrolled.h"

namespace outrider::engine::cpu {

/// Reads the keys of sixteen slots, number by number of the head, as floats. Numbers that share a scale
/// are read together: `Scale` is what they have in common.
template <class L, typename Kv>
struct SixteenKeys {
  struct Scale {};
  static Scale scale(const Kv* /*keys*/, int /*head_width*/, int /*first*/) { return {}; }
  static L read(const Kv* keys, int d, Scale /*scale*/) { return L::load(keys + d * 16); }
  /// The end of the numbers with the scale of number `first`.
  static int end(int /*first*/, int head_width) { return head_width; }
};

template <class L>
struct SixteenKeys<L, std::byte> {
  using Scale = L;
  /// The scales of a block of numbers: 16 halves, 32 bytes, come after the quants for each.
  static Scale scale(const std::byte* keys, int head_width, int first) {
    return L::load(
        reinterpret_cast<const Half*>(keys + std::ptrdiff_t{16} * head_width + first / 32 * 32));
  }
  static L read(const std::byte* keys, int d, Scale scale) {
    return L::from_bytes(reinterpret_cast<const std::int8_t*>(keys + d * 16)) * scale;
  }
  static int end(int first, int head_width) { return std::min(first + 32, head_width); }
};

/// Sixteen numbers of a value, as floats. @param column  of the first, a multiple of 16
template <class L, typename Kv>
OUTRIDER_INLINE inline L sixteen_of_value(const Kv* row, int /*head_width*/, int column) {
  return L::load(row + column);
}

template <class L>
OUTRIDER_INLINE inline L sixteen_of_value(const std::byte* row, int head_width, int column) {
  Half scale;
  std::memcpy(&scale, row + head_width + column / 32 * 2, sizeof scale);
  return L::from_bytes(reinterpret_cast<const std::int8_t*>(row + column)) * L::broadcast(scale);
}

/// Writes a row's key and value into a slot, rounded. Returns their largest magnitude, which may be beyond what `Kv` can
/// hold.
template <class L, typename Kv>
float store_kv(const float* key, const float* value, int head_width, int slot, Kv* keys,
               Kv* values) {
  // Sixteen numbers at a time, so that rounding is that of the lanes.
  Kv* column = keys + static_cast<std::ptrdiff_t>(slot / 16) * head_width * 16 + slot % 16;
  Kv* row = values + static_cast<std::ptrdiff_t>(slot) * head_width;
  L most = L::zero();
  for (int d = 0; d < head_width; d += 16) {
    Kv rounded[16];
    const L k = L::load(key + d);
    const L v = L::load(value + d);
    k.store(rounded);
    for (int i = 0; i < 16; ++i) column[(d + i) * 16] = rounded[i];
    v.store(row + d);
    most = L::max(most, L::max(magnitudes(k), magnitudes(v)));
  }
  return most.largest();
}

/// Rounds a block of 16 or 32 numbers to `quants` and returns their scale. Raises `largest` to their largest magnitude.
template <class L, QuantiseSixteen quantise_sixteen>
Half quantise_kv(const float* x, int count, std::int8_t* quants, float& largest) {
  float most = 0;
  for (int i = 0; i < count; i += 16) most = std::max(most, magnitudes(L::load(x + i)).largest());
  largest = std::max(largest, most);
  const BlockRounding rounding = block_rounding(most);
  for (int i = 0; i < count; i += 16) quantise_sixteen(x + i, rounding.factor, quants + i);
  return float_to_half(rounding.scale);
}

template <class L, QuantiseSixteen quantise_sixteen>
float store_kv_q8(const float* key, const float* value, int head_width, int slot, std::byte* keys,
                  std::byte* values) {
  const KvLayout<std::byte> layout{head_width};
  std::byte* row = values + layout.row() * slot;
  float largest = 0;
  for (int b = 0; b < layout.blocks(); ++b) {
    const int first = 32 * b;
    const int count = std::min(32, head_width - first);
    std::int8_t quants[32];
    Half scale = quantise_kv<L, quantise_sixteen>(value + first, count, quants, largest);
    std::memcpy(row + first, quants, static_cast<std::size_t>(count));
    std::memcpy(row + head_width + 2 * b, &scale, sizeof scale);
    scale = quantise_kv<L, quantise_sixteen>(key + first, count, quants, largest);
    for (int i = 0; i < count; ++i)
      keys[layout.key_run(slot, first + i).offset] = static_cast<std::byte>(quants[i]);
    std::memcpy(keys + layout.key_run(slot, head_width + b).offset, &scale, sizeof scale);
  }
  return largest;
}

}  // namespace outrider::engine::cpu
