#pragma once

#include "runtime/engine/cpu/block_rounding.h"
#include "runtime/engine/cpu/lanes/activations.h"
#include "runtime/engine/cpu/lanes/one_number.h"
#include "runtime/engine/cuda/gpu.h"
#include "runtime/engine/cuda/kernel_args.h"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Arithmetic with the bits of the processor's kernels (engine/cpu/lanes): the same text where it can be, else the same
// operations in the same order.

using cpu::OneNumber;

constexpr unsigned kWholeWarp = 0xffffffffu;

DEVICE int lane_of_thread() { return static_cast<int>(threadIdx.x) % 32; }
// Of blocks of one dimension.
DEVICE int thread_of_block() { return static_cast<int>(threadIdx.x); }
DEVICE int warp_of_block() { return thread_of_block() / 32; }

/// The sum of sixteen numbers, one in each lane of a half warp: lanes i and i + 8, then 4, 2, 1.
DEVICE float sum_of_sixteen(float v) {
  for (int bits = 8; bits > 0; bits /= 2) v = v + __shfl_xor_sync(kWholeWarp, v, bits);
  return v;
}
DEVICE float larger(float a, float b) { return b > a ? b : a; }
DEVICE float largest_of_warp(float v) {
  for (int bits = 16; bits > 0; bits /= 2) v = larger(v, __shfl_xor_sync(kWholeWarp, v, bits));
  return v;
}

DEVICE float exp_of(float x) { return cpu::exp(OneNumber{x}).v; }
DEVICE float magnitude(float x) { return cpu::magnitudes(OneNumber{x}).v; }

/// Quantises four numbers of a row: the threads of eight lanes that follow each other have the 32 of a block in order.
DEVICE void quantise_four(const float4& x, int i, int row, const QuantisedRows& to) {
  const int lane = lane_of_thread();
  const unsigned eight = 0xffu << (lane & 24);
  float most =
      larger(larger(magnitude(x.x), magnitude(x.y)), larger(magnitude(x.z), magnitude(x.w)));
  for (int bits = 4; bits > 0; bits /= 2) most = larger(most, __shfl_xor_sync(eight, most, bits));
  const cpu::BlockRounding rounding = cpu::block_rounding(most);
  const int quants[4] = {
      __float2int_rn(x.x * rounding.factor), __float2int_rn(x.y * rounding.factor),
      __float2int_rn(x.z * rounding.factor), __float2int_rn(x.w * rounding.factor)};
  int half = quants[0] + quants[1] + quants[2] + quants[3];
  half = half + __shfl_xor_sync(eight, half, 1);
  half = half + __shfl_xor_sync(eight, half, 2);
  const int other = __shfl_xor_sync(eight, half, 4);
  const int block = i / 32;
  const std::size_t pair = static_cast<std::size_t>(block / 2) * to.stride + row;
  std::uint32_t bytes = 0;
#pragma unroll
  for (int n = 0; n < 4; ++n) bytes |= (static_cast<std::uint32_t>(quants[n]) & 255u) << (8 * n);
  *reinterpret_cast<std::uint32_t*>(to.quants + pair * 64 + lane % 4 * 16 + block % 2 * 8 +
                                    lane / 4 % 2 * 4) = bytes;
  if (lane % 8 != 0) return;
  const std::size_t at = static_cast<std::size_t>(block) * to.stride + row;
  to.scales[at] = {rounding.scale, rounding.scale * static_cast<float>(half + other)};
  to.sums[at] = {half, other};
}

/// Writes the numbers i ... i + 3 of a row, by threads as quantise_four takes them.
DEVICE void write_operand(const float4& x, int i, int row, int width, const Operand& to) {
  if (to.floats != nullptr)
    *reinterpret_cast<float4*>(to.floats + static_cast<std::size_t>(row) * width + i) = x;
  if (to.quantised.quants != nullptr) quantise_four(x, i, row, to.quantised);
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
