#pragma once

#include "runtime/engine/cuda/numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// Weights as they are stored, and how many products of them one chain adds up (engine/cpu/lanes/product_float.h).
struct F32Weights {
  static constexpr int kChain = 32;
  DEVICE static float at(const std::uint8_t* panels, std::size_t i) {
    return reinterpret_cast<const float*>(panels)[i];
  }
};
struct F16Weights {
  static constexpr int kChain = 1 << 30;
  DEVICE static float at(const std::uint8_t* panels, std::size_t i) {
    return half_bits_to_float(reinterpret_cast<const std::uint16_t*>(panels)[i]);
  }
};
struct Bf16Weights {
  static constexpr int kChain = 1 << 30;
  DEVICE static float at(const std::uint8_t* panels, std::size_t i) {
    return __uint_as_float(
        static_cast<std::uint32_t>(reinterpret_cast<const std::uint16_t*>(panels)[i]) << 16);
  }
};

constexpr int kFloatRows = 4;

/// Products of weights stored as floats: chains of fused multiply-adds, which are added up in order where they are shorter
/// than a row (kChain inputs). A thread has one output and kFloatRows rows. Grid: tiles of rows, groups of eight panels.
template <class Weights>
__global__ void __launch_bounds__(128) product_float(ProductArgs a) {
  const ProductMatrix& matrix = a.matrices[0];
  const int thread = static_cast<int>(threadIdx.x);
  const int panel = static_cast<int>(blockIdx.y) * 8 + thread / 16, output = thread % 16;
  const int first_row = static_cast<int>(blockIdx.x) * kFloatRows;
  let_next_launch_begin();
  wait_for_launch_before();
  if (panel >= matrix.num_panels) return;
  const std::size_t base = static_cast<std::size_t>(panel) * a.inputs * 16 + output;
  const float* x[kFloatRows];
#pragma unroll
  for (int r = 0; r < kFloatRows; ++r) {
    const int row = first_row + r < a.rows ? first_row + r : a.rows - 1;
    x[r] = a.x.floats + static_cast<std::size_t>(row) * a.inputs;
  }
  float sums[kFloatRows] = {};
  for (int first = 0; first < a.inputs;) {
    const int last = a.inputs - first > Weights::kChain ? first + Weights::kChain : a.inputs;
    float chains[kFloatRows] = {};
#pragma unroll 8
    for (int k = first; k < last; ++k) {
      const float w = Weights::at(matrix.panels, base + static_cast<std::size_t>(k) * 16);
#pragma unroll
      for (int r = 0; r < kFloatRows; ++r) chains[r] = __fmaf_rn(w, x[r][k], chains[r]);
    }
#pragma unroll
    for (int r = 0; r < kFloatRows; ++r) sums[r] = sums[r] + chains[r];
    first = last;
  }
#pragma unroll
  for (int r = 0; r < kFloatRows; ++r) {
    if (first_row + r >= a.rows) continue;
    float* to =
        matrix.out + static_cast<std::size_t>(first_row + r) * a.out_stride + 16 * panel + output;
    float out = a.accumulate ? *to + sums[r] : sums[r];
    if (matrix.bias != nullptr) out = out + matrix.bias[16 * panel + output];
    *to = out;
  }
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
