#pragma once

#include <cstdint>

#include "runtime/engine/scalar/lanes.h"

namespace outrider::engine::scalar {

/// Unsigned weights of one block of a panel, sixteen outputs by 32 inputs, and their products with
/// the activations: the specification of what the vector versions must compute.
struct Quants {
  static constexpr int kMostRows = 1;

  std::uint8_t weight[16][32];

  /// 256 bytes: byte 64 j + 4 o + b holds input 4 j + b of output o in its low half, and input
  /// 16 + 4 j + b in its high half.
  static Quants load_u4(const std::uint8_t* p) {
    Quants q;
    for (int o = 0; o < 16; ++o) {
      for (int i = 0; i < 16; ++i) {
        const std::uint8_t byte = p[64 * (i / 4) + 4 * o + i % 4];
        q.weight[o][i] = byte & 15;
        q.weight[o][16 + i] = byte >> 4;
      }
    }
    return q;
  }
  /// 512 bytes: byte 64 j + 4 o + b holds input 4 j + b of output o.
  static Quants load_u8(const std::uint8_t* p) {
    Quants q;
    for (int o = 0; o < 16; ++o)
      for (int i = 0; i < 32; ++i) q.weight[o][i] = p[64 * (i / 4) + 4 * o + i % 4];
    return q;
  }

  /// start + sum of weight * activation over the block, per output, as floats. Exact.
  template <bool kAlone>
  Lanes dot_u4(const std::int8_t* activations, std::int32_t start) const {
    return Lanes::map([&](int o) {
      std::int32_t sum = start;
      for (int i = 0; i < 32; ++i) sum += weight[o][i] * activations[i];
      return static_cast<float>(sum);
    });
  }
  template <bool kAlone>
  Lanes dot_u8(const std::int8_t* activations, std::int32_t start) const {
    return dot_u4<kAlone>(activations, start);
  }
};

/// Rounds x * factor to the nearest integer, ties to even, for 32 floats; returns their sum.
inline std::int32_t quantise_block(const float* x, float factor, std::int8_t* out) {
  std::int32_t sum = 0;
  for (int i = 0; i < 32; ++i) {
    out[i] = static_cast<std::int8_t>(std::nearbyintf(x[i] * factor));
    sum += out[i];
  }
  return sum;
}

}  // namespace outrider::engine::scalar
