#pragma once

#include "runtime/engine/cpu/packing.h"
#include "runtime/engine/cuda/numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

using cpu::Packing;
using cpu::ScaleForm;

/// One block of a panel (sixteen outputs, 32 inputs) as the operand of a tensor-core product, in the registers of a
/// lane: with g = lane / 4 and t = lane mod 4 it has the outputs 2g and 2g + 1 (rows g and g + 8 of the product) and the
/// inputs 4t ... 4t + 3 and 16 + 4t ... 16 + 4t + 3. The packing of panels is that of these registers: a lane loads eight
/// bytes for two outputs.
template <Packing P>
struct WeightBlock {
  using Layout = cpu::BlockLayout<P>;
  static constexpr Packing kPacking = P;
  static constexpr bool kHasMinimum =
      Layout::kForm == ScaleForm::kHalfAndMin || Layout::kForm == ScaleForm::kSuperAndMin;
  static constexpr bool kHasHalves = Layout::kForm == ScaleForm::kSuperHalves;
  static constexpr int kGroup = static_cast<int>(Layout::kGroup);
  static constexpr int kGroupBytes = static_cast<int>(Layout::kGroupBytes);
  static constexpr int kHeader = static_cast<int>(Layout::kHeader);
  static constexpr int kQuants = static_cast<int>(Layout::kQuants);
  /// What is taken off each quant of the packings that have a zero point.
  static constexpr int kZero = kHasMinimum          ? 0
                               : Layout::kBits == 8 ? 128
                               : Layout::kBits == 5 ? 16
                               : Layout::kBits == 6 ? 32
                                                    : 8;

  std::uint32_t quants[4];  // output 2g and 2g + 1 with the first 16 inputs, then with the last 16
  float scale[2];           // of the outputs 2g, 2g + 1
  float minimum[2];
  int factor[2][2];  // of kSuperHalves: [first, last 16 inputs][output]

  DEVICE static uint2 pair_at(const std::uint8_t* p) { return *reinterpret_cast<const uint2*>(p); }
  DEVICE static float2 halves_at(const std::uint8_t* p) {
    const std::uint32_t both = *reinterpret_cast<const std::uint32_t*>(p);
    return make_float2(half_bits_to_float(static_cast<std::uint16_t>(both)),
                       half_bits_to_float(static_cast<std::uint16_t>(both >> 16)));
  }

  /// A block by the header of its group and its quants, in shared memory.
  DEVICE WeightBlock(const std::uint8_t* group, int in_group, const std::uint8_t* block, int g,
                     int t) {
    const std::uint8_t* at = block + 8 * g;
    if constexpr (Layout::kBits == 8) {
      const uint2 first = pair_at(at + 64 * t), last = pair_at(at + 256 + 64 * t);
      quants[0] = first.x;
      quants[1] = first.y;
      quants[2] = last.x;
      quants[3] = last.y;
    } else {
      const uint2 nibbles = pair_at(at + 64 * t);
      quants[0] = nibbles.x & 0x0f0f0f0fu;
      quants[1] = nibbles.y & 0x0f0f0f0fu;
      quants[2] = nibbles.x >> 4 & 0x0f0f0f0fu;
      quants[3] = nibbles.y >> 4 & 0x0f0f0f0fu;
    }
    if constexpr (Layout::kBits == 5) {  // bit q of a byte: the fifth bit of the q-th four inputs
      const uint2 fifths = pair_at(at + 256);
      quants[0] |= (fifths.x >> t & 0x01010101u) << 4;
      quants[1] |= (fifths.y >> t & 0x01010101u) << 4;
      quants[2] |= (fifths.x >> (4 + t) & 0x01010101u) << 4;
      quants[3] |= (fifths.y >> (4 + t) & 0x01010101u) << 4;
    }
    if constexpr (Layout::kBits ==
                  6) {  // bits 2q, 2q + 1: the upper bits of the q-th four of a half
      const uint2 first = pair_at(at + 256), last = pair_at(at + 320);
      quants[0] |= (first.x >> 2 * t & 0x03030303u) << 4;
      quants[1] |= (first.y >> 2 * t & 0x03030303u) << 4;
      quants[2] |= (last.x >> 2 * t & 0x03030303u) << 4;
      quants[3] |= (last.y >> 2 * t & 0x03030303u) << 4;
    }
    const float2 scales = halves_at(group + 4 * g);
    scale[0] = scales.x;
    scale[1] = scales.y;
    if constexpr (Layout::kForm == ScaleForm::kHalfAndMin) {
      const float2 minimums = halves_at(group + 32 + 4 * g);
      minimum[0] = minimums.x;
      minimum[1] = minimums.y;
    }
    if constexpr (Layout::kForm == ScaleForm::kSuperAndMin) {
      const float2 minimums = halves_at(group + 32 + 4 * g);
      const std::uint8_t* scale_factors = group + 64 + 16 * in_group + 2 * g;
      const std::uint8_t* minimum_factors = scale_factors + 128;
      scale[0] = scales.x * static_cast<float>(scale_factors[0]);
      scale[1] = scales.y * static_cast<float>(scale_factors[1]);
      minimum[0] = 0.0f - minimums.x * static_cast<float>(minimum_factors[0]);
      minimum[1] = 0.0f - minimums.y * static_cast<float>(minimum_factors[1]);
    }
    if constexpr (kHasHalves) {
      const auto* factors =
          reinterpret_cast<const std::int8_t*>(group + 32 + 32 * in_group + 2 * g);
      factor[0][0] = factors[0];
      factor[0][1] = factors[1];
      factor[1][0] = factors[16];
      factor[1][1] = factors[17];
    }
  }

  /// The integer products with eight rows, as floats: [output 2g: rows 2t, 2t + 1; output 2g + 1: the same].
  /// @param first, last  inputs 4t ... and 16 + 4t ... of row g
  /// @param sums         of the rows 2t and 2t + 1: {first, last} of each
  DEVICE void dots(std::uint32_t first, std::uint32_t last, const int4& sums,
                   float (&out)[4]) const {
    const std::uint32_t inputs[2] = {first, last};
    int d[4];
    if constexpr (kHasHalves) {
      // Up to 2^24, so that the conversion rounds as the processor's does.
      int e[4];
      const int start[4] = {-kZero * sums.x, -kZero * sums.z, -kZero * sums.x, -kZero * sums.z};
      const int start_last[4] = {-kZero * sums.y, -kZero * sums.w, -kZero * sums.y,
                                 -kZero * sums.w};
      mma_u8s8_k16(d, {quants[0], quants[1]}, first, start);
      mma_u8s8_k16(e, {quants[2], quants[3]}, last, start_last);
#pragma unroll
      for (int n = 0; n < 4; ++n)
        out[n] = __int2float_rn(d[n] * factor[0][n / 2] + e[n] * factor[1][n / 2]);
    } else {
      // The bits of 1.5 * 2^23 plus an integer below 2^22 are those of their sum.
      constexpr int kMagic = 0x4b400000;
      int start[4] = {kMagic, kMagic, kMagic, kMagic};
      if constexpr (!kHasMinimum) {
        start[0] = start[2] = kMagic - kZero * (sums.x + sums.y);
        start[1] = start[3] = kMagic - kZero * (sums.z + sums.w);
      }
      mma_u8s8(d, quants, inputs, start);
#pragma unroll
      for (int n = 0; n < 4; ++n) out[n] = __int_as_float(d[n]) - 12582912.0f;
    }
  }
};

/// Scale and minimum of one output of a block; the factors of kSuperHalves are in its dot product.
template <Packing P>
struct OutputScale {
  using Layout = cpu::BlockLayout<P>;

  float scale;
  float minimum = 0;

  DEVICE static float half_at(const std::uint8_t* p) {
    return half_bits_to_float(*reinterpret_cast<const std::uint16_t*>(p));
  }
  /// @param group  its header, in shared memory
  DEVICE OutputScale(const std::uint8_t* group, int in_group, int output) {
    scale = half_at(group + 2 * output);
    if constexpr (Layout::kForm == ScaleForm::kHalfAndMin)
      minimum = half_at(group + 32 + 2 * output);
    if constexpr (Layout::kForm == ScaleForm::kSuperAndMin) {
      const std::uint8_t* factor = group + 64 + 16 * in_group + output;
      scale = scale * static_cast<float>(factor[0]);
      minimum = 0.0f - half_at(group + 32 + 2 * output) * static_cast<float>(factor[128]);
    }
  }
};

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
