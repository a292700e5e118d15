#pragma once

#include "runtime/engine/cuda/numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// The memory of one KV head: its keys, then its values. Keys of 32 slots lie together, in units of 16 bytes of each slot
// in turn, so that the threads of a warp, one a slot, read consecutive units: [slots / 32, units, 32, 16 bytes]. A slot's
// value is a row. Numbers are floats, halves, or bytes with half scales for blocks of 32 along the head, which follow
// the quants: of keys [slots / 32, blocks, 32], of values in the row.

struct KvF32 {
  static constexpr int kUnit = 4;  // numbers in 16 bytes
  DEVICE static int row_bytes(int head_width) { return 4 * head_width; }
  DEVICE static float number(const std::uint8_t* unit, int i, float /*scale*/) {
    return reinterpret_cast<const float*>(unit)[i];
  }
};
struct KvF16 {
  static constexpr int kUnit = 8;
  DEVICE static int row_bytes(int head_width) { return 2 * head_width; }
  DEVICE static float number(const std::uint8_t* unit, int i, float /*scale*/) {
    return half_bits_to_float(reinterpret_cast<const std::uint16_t*>(unit)[i]);
  }
};
struct KvQ8 {
  static constexpr int kUnit = 16;
  DEVICE static int row_bytes(int head_width) { return head_width + 2 * ((head_width + 31) / 32); }
  DEVICE static float number(const std::uint8_t* unit, int i, float scale) {
    return static_cast<float>(reinterpret_cast<const std::int8_t*>(unit)[i]) * scale;
  }
};
template <class Kv>
constexpr bool kHasScales = Kv::kUnit == 16;

/// The keys, and the values, of a head.
template <class Kv>
DEVICE std::uint8_t* head_at(std::uint8_t* cache, std::size_t head_bytes, const HeadShape& shape,
                             int layer, int head, bool values) {
  return cache +
         ((static_cast<std::size_t>(layer) * shape.kv_heads + head) * 2 + (values ? 1 : 0)) *
             head_bytes;
}

/// The unit with numbers from `d` on of a slot's key.
template <class Kv>
DEVICE std::uint8_t* key_unit(std::uint8_t* keys, int slot, int d, int head_width) {
  return keys + static_cast<std::size_t>(slot / 32) * 32 * Kv::row_bytes(head_width) +
         static_cast<std::size_t>(d / Kv::kUnit * 32 + slot % 32) * 16;
}
template <class Kv>
DEVICE std::uint16_t* key_scale(std::uint8_t* keys, int slot, int d, int head_width) {
  return reinterpret_cast<std::uint16_t*>(
             keys + static_cast<std::size_t>(slot / 32) * 32 * Kv::row_bytes(head_width) +
             32 * head_width) +
         d / 32 * 32 + slot % 32;
}
template <class Kv>
DEVICE std::uint8_t* value_row(std::uint8_t* values, int slot, int head_width) {
  return values + static_cast<std::size_t>(slot) * Kv::row_bytes(head_width);
}
template <class Kv>
DEVICE float value_number(const std::uint8_t* row, int d, int head_width) {
  if constexpr (kHasScales<Kv>) {
    const float scale =
        half_bits_to_float(*reinterpret_cast<const std::uint16_t*>(row + head_width + d / 32 * 2));
    return Kv::number(row + d, 0, scale);
  } else {
    return Kv::number(row, d, 1);
  }
}

/// The numbers from `d` on of a value: one, or two where d is even.
template <class Kv, int kNumbers>
DEVICE void value_numbers(const std::uint8_t* row, int d, int head_width, float (&out)[kNumbers]) {
  if constexpr (Kv::kUnit == 8 && kNumbers == 2) {
    const std::uint32_t both = *reinterpret_cast<const std::uint32_t*>(row + 2 * d);
    out[0] = half_bits_to_float(static_cast<std::uint16_t>(both));
    out[1] = half_bits_to_float(static_cast<std::uint16_t>(both >> 16));
  } else {
#pragma unroll
    for (int n = 0; n < kNumbers; ++n) out[n] = value_number<Kv>(row, d + n, head_width);
  }
}

/// Scores of one key for kHeads queries: each is one chain over the head's width.
/// @param queries  [kHeads, head_width], aligned to 16 bytes
template <class Kv, int kHeads>
DEVICE void score_key(std::uint8_t* keys, int slot, int head_width, const float* queries,
                      float (&scores)[kHeads]) {
#pragma unroll
  for (int h = 0; h < kHeads; ++h) scores[h] = 0;
  float scale = 1;
#pragma unroll 8
  for (int d = 0; d < head_width; d += Kv::kUnit) {
    if constexpr (kHasScales<Kv>)
      if (d % 32 == 0) scale = half_bits_to_float(*key_scale<Kv>(keys, slot, d, head_width));
    alignas(16) std::uint8_t unit[16];
    *reinterpret_cast<uint4*>(unit) =
        *reinterpret_cast<const uint4*>(key_unit<Kv>(keys, slot, d, head_width));
#pragma unroll
    for (int i = 0; i < Kv::kUnit; i += 4) {
      float numbers[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) numbers[n] = Kv::number(unit, i + n, scale);
#pragma unroll
      for (int h = 0; h < kHeads; ++h) {
        const float4 query = *reinterpret_cast<const float4*>(queries + h * head_width + d + i);
        scores[h] = __fmaf_rn(numbers[0], query.x, scores[h]);
        scores[h] = __fmaf_rn(numbers[1], query.y, scores[h]);
        scores[h] = __fmaf_rn(numbers[2], query.z, scores[h]);
        scores[h] = __fmaf_rn(numbers[3], query.w, scores[h]);
      }
    }
  }
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
