#pragma once

#include "runtime/engine/cuda/numbers.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

// Norms and activations: a block of threads for each row, or for a part of it.

/// The scale of a root mean square norm; every lane of the warp gets it.
/// @param x  [width] of shared memory
DEVICE float rms_scale(const float* x, int width, float epsilon) {
  float squares = 0;
#pragma unroll 16
  for (int i = lane_of_thread() % 16; i < width; i += 16) squares = __fmaf_rn(x[i], x[i], squares);
  const float mean = sum_of_sixteen(squares) / static_cast<float>(width);
  return 1.0f / __fsqrt_rn(mean + epsilon);
}

struct MeanAndScale {
  float mean;
  float scale;
};
/// Of a layer norm, likewise.
DEVICE MeanAndScale layer_scale(const float* x, int width, float epsilon) {
  const float count = static_cast<float>(width);
  float total = 0;
#pragma unroll 16
  for (int i = lane_of_thread() % 16; i < width; i += 16) total = total + x[i];
  const float mean = sum_of_sixteen(total) / count;
  float squares = 0;
#pragma unroll 16
  for (int i = lane_of_thread() % 16; i < width; i += 16) {
    const float v = x[i] - mean;
    squares = __fmaf_rn(v, v, squares);
  }
  return {mean, 1.0f / __fsqrt_rn(sum_of_sixteen(squares) / count + epsilon)};
}

/// Block: one row; shared memory: [width] floats.
__global__ void normalise(NormArgs a) {
  float* numbers = dynamic_shared<float>();
  __shared__ MeanAndScale shared;
  const int row = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  let_next_launch_begin();
  wait_for_launch_before();
  const int source = a.row_numbers != nullptr ? a.row_numbers[row] : row;
  const float* x = a.x + static_cast<std::size_t>(source) * a.width;
  const auto four_at = [](const float* from, int i) {
    return *reinterpret_cast<const float4*>(from + i);
  };
  if (a.weight == nullptr) {
    for (int i = 4 * thread; i < a.width; i += 4 * threads)
      write_operand(four_at(x, i), i, row, a.width, a.out);
    return;
  }
  for (int i = 4 * thread; i < a.width; i += 4 * threads)
    *reinterpret_cast<float4*>(numbers + i) = four_at(x, i);
  __syncthreads();
  if (thread < 32) {
    MeanAndScale found{0, 0};
    if (a.bias == nullptr) {
      found.scale = rms_scale(numbers, a.width, a.epsilon);
    } else {
      found = layer_scale(numbers, a.width, a.epsilon);
    }
    if (thread == 0) shared = found;
  }
  __syncthreads();
  for (int i = 4 * thread; i < a.width; i += 4 * threads) {
    const float4 number = four_at(numbers, i), weight = four_at(a.weight, i);
    const float4 bias = a.bias == nullptr ? make_float4(0, 0, 0, 0) : four_at(a.bias, i);
    const auto normed = [&](float x_i, float weight_i, float bias_i) {
      return a.bias == nullptr ? x_i * shared.scale * weight_i
                               : __fmaf_rn((x_i - shared.mean) * shared.scale, weight_i, bias_i);
    };
    write_operand(
        make_float4(normed(number.x, weight.x, bias.x), normed(number.y, weight.y, bias.y),
                    normed(number.z, weight.z, bias.z), normed(number.w, weight.w, bias.w)),
        i, row, a.width, a.out);
  }
}

DEVICE float silu_times(float gate, float up) {
  return cpu::silu_times(OneNumber{gate}, OneNumber{up}).v;
}

DEVICE float activated(model::Activation kind, float gate, float up) {
  switch (kind) {
    case model::Activation::kGatedSilu:
      return silu_times(gate, up);
    case model::Activation::kRelu:
      return cpu::relu(OneNumber{up}).v;
    case model::Activation::kGeluTanh:
      return cpu::gelu_tanh(OneNumber{up}).v;
    case model::Activation::kGatedGelu:  // these are refused when the engine is made
    case model::Activation::kGatedClamped:
    case model::Activation::kGeluErf:
      break;
  }
  return cpu::gelu_erf(OneNumber{up}).v;
}

/// Blocks: rows, parts of a row. Width is a multiple of 32, and so is the number of threads.
__global__ void activate(ActivationArgs a) {
  let_next_launch_begin();
  wait_for_launch_before();
  const int row = static_cast<int>(blockIdx.x);
  const std::size_t first = static_cast<std::size_t>(row) * a.width;
  const int step = 4 * static_cast<int>(blockDim.x * gridDim.y);
  for (int i = 4 * static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x); i < a.width;
       i += step) {
    const float4 up = *reinterpret_cast<const float4*>(a.up + first + i);
    const float4 gate =
        a.gate == nullptr ? up : *reinterpret_cast<const float4*>(a.gate + first + i);
    write_operand(make_float4(activated(a.kind, gate.x, up.x), activated(a.kind, gate.y, up.y),
                              activated(a.kind, gate.z, up.z), activated(a.kind, gate.w, up.w)),
                  i, row, a.width, a.out);
  }
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
