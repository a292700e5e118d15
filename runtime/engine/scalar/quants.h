#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/engine/packing.h"
#include "runtime/engine/scalar/lanes.h"

namespace outrider::engine::scalar {

/// Unsigned weights of one block of a panel, sixteen outputs by 32 inputs, and their products with
/// the activations: the specification of what the vector versions must compute.
struct Quants {
  /// The most rows that a product takes together.
  static constexpr int most_rows(ScaleForm) { return 4; }

  std::uint8_t weight[16][32];

  /// Eight bits: byte 64 g + 4 o + b holds input 4 g + b of output o.
  /// Fewer: byte 64 g + 4 o + b holds the low four bits of input 4 g + b and, above, of input
  /// 16 + 4 g + b. Five bits: 64 more bytes, of which byte 4 o + b has in bit g the fifth bit of
  /// input 4 g + b. Six bits: 128 more, of which byte 64 h + 4 o + b has in bits 2 s and 2 s + 1 the
  /// upper bits of input 4 (4 h + s) + b.
  template <int kBits>
  static Quants of(const std::uint8_t* p) {
    Quants q;
    for (int o = 0; o < 16; ++o) {
      for (int i = 0; i < 32; ++i) {
        const int g = i / 4;
        const int place = 4 * o + i % 4;
        if constexpr (kBits == 8) {
          q.weight[o][i] = p[64 * g + place];
        } else {
          int w = p[64 * (g % 4) + place] >> (g < 4 ? 0 : 4) & 15;
          if constexpr (kBits == 5) w |= (p[256 + place] >> g & 1) << 4;
          if constexpr (kBits == 6) w |= (p[256 + 64 * (g / 4) + place] >> (2 * (g % 4)) & 3) << 4;
          q.weight[o][i] = static_cast<std::uint8_t>(w);
        }
      }
    }
    return q;
  }

  /// out[r] = start + sum of weight * activation over the block, per output, as floats. Exact.
  /// @param activations  [R, 32]
  template <int kBits, int R>
  void dot(const std::int8_t* activations, const std::int32_t (&starts)[R], Lanes (&out)[R]) const {
    for (int r = 0; r < R; ++r)
      out[r] = finish(sums(0, 32, activations + 32 * r).data(), starts[r]);
  }

  /// The same for the first and the last 16 inputs apart, less 32 of each weight, each times its
  /// factor of the output.
  /// @param factors  [2, 16]
  template <int kBits, int R>
  void dot_halves(const std::int8_t* activations, const BlockScale* rows,
                  const std::int8_t* factors, Lanes (&out)[R]) const {
    for (int r = 0; r < R; ++r) {
      const std::int8_t* row = activations + 32 * r;
      out[r] = finish_halves(sums(0, 16, row).data(), sums(16, 32, row).data(), rows[r], factors);
    }
  }

  /// For products that tiles make: the weights as they lie in a block of eight bits.
  /// @param out  [8, 16, 4]
  template <int kBits>
  void unpack(std::uint8_t* out) const {
    for (int o = 0; o < 16; ++o)
      for (int i = 0; i < 32; ++i) out[64 * (i / 4) + 4 * o + i % 4] = weight[o][i];
  }

  /// What `dot` and `dot_halves` make of the sums of a row's products.
  /// @param sums, first, last  [16]
  static Lanes finish(const std::int32_t* sums, std::int32_t start) {
    return Lanes::map([&](int o) { return static_cast<float>(start + sums[o]); });
  }
  static Lanes finish_halves(const std::int32_t* first, const std::int32_t* last,
                             const BlockScale& row, const std::int8_t* factors) {
    return Lanes::map([&](int o) {
      return static_cast<float>((row.minus_32_first + first[o]) * factors[o] +
                                (row.minus_32_last + last[o]) * factors[16 + o]);
    });
  }

 private:
  std::array<std::int32_t, 16> sums(int begin, int end, const std::int8_t* activations) const {
    std::array<std::int32_t, 16> total = {};
    for (int o = 0; o < 16; ++o)
      for (int i = begin; i < end; ++i)
        total[static_cast<std::size_t>(o)] += weight[o][i] * activations[i];
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

}  // namespace outrider::engine::scalar
