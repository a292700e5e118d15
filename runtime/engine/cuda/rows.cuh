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
  const float sigmoid = 1.0f / (1.0f + exp_of(0.0f - gate));
  return gate * sigmoid * up;
}

DEVICE float gelu_tanh(float v) {
  const float minus_2u = v * -1.5957691216f * __fmaf_rn(0.044715f, v * v, 1.0f);
  return v / (1.0f + exp_of(minus_2u));
}

DEVICE float gelu_erf(float v) {
  const float size = magnitude(v);
  const float a = size * 0.70710678f;
  const float t = 1.0f / __fmaf_rn(0.5f, a, 1.0f);
  float p = 0.17087277f;
  p = __fmaf_rn(p, t, -0.82215223f);
  p = __fmaf_rn(p, t, 1.48851587f);
  p = __fmaf_rn(p, t, -1.13520398f);
  p = __fmaf_rn(p, t, 0.27886807f);
  p = __fmaf_rn(p, t, -0.18628806f);
  p = __fmaf_rn(p, t, 0.09678418f);
  p = __fmaf_rn(p, t, 0.37409196f);
  p = __fmaf_rn(p, t, 1.00002368f);
  p = __fmaf_rn(p, t, -1.26551223f);
  const float tail = t * exp_of(p - a * a);
  return (v > 0.0f ? v : 0.0f) - 0.5f * size * tail;
}

DEVICE float activated(ActivationKind kind, float gate, float up) {
  switch (kind) {
    case ActivationKind::kGatedSilu:
      return silu_times(gate, up);
    case ActivationKind::kRelu:
      return up > 0.0f ? up : 0.0f;
    case ActivationKind::kGeluTanh:
      return gelu_tanh(up);
    case ActivationKind::kGeluErf:
      break;
  }
  return gelu_erf(up);
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

/// The lowest id of the largest logit of each row. Block: one row.
__global__ void arg_max(const float* logits, int count, int stride, int* best) {
  __shared__ float largest[32];
  __shared__ int ids[32];
  const int thread = static_cast<int>(threadIdx.x), warps = static_cast<int>(blockDim.x) / 32;
  const float* row = logits + static_cast<std::size_t>(blockIdx.x) * stride;
  float most = row[0];
  int id = 0;
  for (int i = thread; i < count; i += static_cast<int>(blockDim.x)) {
    const float logit = row[i];
    if (logit > most) most = logit, id = i;
  }
  const auto take = [&](float other, int other_id) {
    if (other > most || (other == most && other_id < id)) most = other, id = other_id;
  };
  for (int bits = 16; bits > 0; bits /= 2) {
    const float other = __shfl_xor_sync(kWholeWarp, most, bits);
    const int other_id = __shfl_xor_sync(kWholeWarp, id, bits);
    take(other, other_id);
  }
  if (thread % 32 == 0) largest[thread / 32] = most, ids[thread / 32] = id;
  __syncthreads();
  if (thread != 0) return;
  for (int w = 1; w < warps; ++w) take(largest[w], ids[w]);
  best[blockIdx.x] = id;
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
