#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/engine/cpu/packing.h"
#include "runtime/engine/cpu/scalar/scalar_lanes.h"

namespace outrider::engine::cpu::scalar {

/// Unsigned weights of one block of a panel, sixteen outputs by 32 inputs, and their products with
/// the activations: the specification that the vector versions must match.
struct Quants {
  /// The most rows of one product.
  static constexpr int most_rows(ScaleForm) { return 4; }
  /// The most rows of one product with two panels; 0: panels are taken one at a time.
  static constexpr int most_pair_rows(ScaleForm) { return 0; }
  /// The least rows for which a panel is unpacked once for all tiles; 0: never.
  static constexpr int rows_to_unpack(int /*bits*/) { return 0; }

  /// Eight groups of four inputs: byte 4 o + b of group g belongs to output o and input 4 g + b.
  std::uint8_t weight[8][64];

  /// Eight bits: byte 64 g + i is byte i of group g. Fewer: byte 64 g + i holds the low four bits of
  /// byte i of group g and, above, of group 4 + g. Five bits: 64 more bytes, of which byte i has in
  /// bit g the fifth bit of group g. Six bits: 128 more, of which byte 64 h + i has in bits 2 s and
  /// 2 s + 1 the upper bits of group 4 h + s. Two bits: such bytes alone.
  template <int kBits>
  static Quants of(const std::uint8_t* p) {
    Quants q;
    for (int g = 0; g < 8; ++g) {
      for (int i = 0; i < 64; ++i) {
        if constexpr (kBits == 2) {
          q.weight[g][i] = static_cast<std::uint8_t>(p[64 * (g / 4) + i] >> (2 * (g % 4)) & 3);
          continue;
        }
        int w = kBits == 8 ? p[64 * g + i] : p[64 * (g % 4) + i] >> (g < 4 ? 0 : 4) & 15;
        if constexpr (kBits == 5) w |= (p[256 + i] >> g & 1) << 4;
        if constexpr (kBits == 6) w |= (p[256 + 64 * (g / 4) + i] >> (2 * (g % 4)) & 3) << 4;
        q.weight[g][i] = static_cast<std::uint8_t>(w);
      }
    }
    return q;
  }

  /// out[r] = start + sum of weight * activation over the block, per output, as floats. Exact.
  /// @param activations  [R, 32]
  template <int kBits, int R>
  void dot(const std::int8_t* activations, const std::int32_t (&starts)[R], Lanes (&out)[R]) const {
    for (int r = 0; r < R; ++r) out[r] = finish(sums(0, 8, activations + 32 * r).data(), starts[r]);
  }

  /// The dot products of the first and of the last 16 inputs, with 32 taken off each weight of six bits, each
  /// times its factor of the output.
  /// @param factors  [2, 16]
  template <int kBits, int R>
  void dot_halves(const std::int8_t* activations, const BlockScale* rows,
                  const std::int8_t* factors, Lanes (&out)[R]) const {
    for (int r = 0; r < R; ++r) {
      const std::int8_t* row = activations + 32 * r;
      out[r] =
          finish_halves<kBits>(sums(0, 4, row).data(), sums(4, 8, row).data(), rows[r], factors);
    }
  }

  /// Unpacks the weights into the layout of a block of eight bits, for products by tiles.
  /// @param out  [8, 16, 4]
  template <int kBits>
  void unpack(std::uint8_t* out) const {
    std::memcpy(out, weight, sizeof weight);
  }

  /// The result of `dot` and `dot_halves`, given the sums of a row's products.
  /// @param sums, first, last  [16]
  static Lanes finish(const std::int32_t* sums, std::int32_t start) {
    return Lanes::map([&](int o) { return static_cast<float>(start + sums[o]); });
  }
  template <int kBits>
  static Lanes finish_halves(const std::int32_t* first, const std::int32_t* last,
                             const BlockScale& row, const std::int8_t* factors) {
    return Lanes::map([&](int o) {
      return static_cast<float>((start_of_first<kBits>(row) + first[o]) * factors[o] +
                                (start_of_last<kBits>(row) + last[o]) * factors[16 + o]);
    });
  }

 private:
  /// Over the groups [first, last). Written in a form that compilers vectorise: a certificate
  /// compares thousands of rows with these.
  std::array<std::int32_t, 16> sums(int first, int last, const std::int8_t* activations) const {
    std::int32_t parts[64] = {};
    for (int g = first; g < last; ++g) {
      std::int8_t inputs[64];
      for (int o = 0; o < 16; ++o) std::memcpy(inputs + 4 * o, activations + 4 * g, 4);
      for (int i = 0; i < 64; ++i)  // at most 255 * 127, which fits
        parts[i] += static_cast<std::int16_t>(weight[g][i] * inputs[i]);
    }
    std::array<std::int32_t, 16> total;
    for (std::size_t o = 0; o < 16; ++o)
      total[o] = parts[4 * o] + parts[4 * o + 1] + parts[4 * o + 2] + parts[4 * o + 3];
    return total;
  }
};

/// Rounds x * factor to the nearest integer, ties to even, for sixteen floats; returns their sum.
inline std::int32_t quantise_sixteen(const float* x, float factor, std::int8_t* out) {
  std::int32_t sum = 0;
  for (int i = 0; i < 16; ++i) {
    out[i] = static_cast<std::int8_t>(std::nearbyintf(x[i] * factor));
    sum += out[i];
  }
  return sum;
}

}  // namespace outrider::engine::cpu::scalar
