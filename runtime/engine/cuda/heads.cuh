#pragma once

#include "runtime/engine/cuda/kv_numbers.cuh"
#include "runtime/engine/cuda/rows.cuh"

namespace outrider::engine::cuda::OUTRIDER_GPU {

/// Notes rows with numbers that their cache cannot hold. Most rows have none, and cost nothing.
struct LargeNumbers {
  float bound;
  unsigned* row;

  DEVICE void look_at(float number) const {
    if (magnitude(number) >= bound) store_release(row, 1u);
  }
};

/// Writes a key, or value, [head_width] of shared memory, rounded, into its slot. All threads of the block take part.
template <class Kv>
DEVICE void store_numbers(const float* x, int head_width, int slot, bool is_value,
                          std::uint8_t* head, const LargeNumbers& large) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if constexpr (kHasScales<Kv>) {
    // A warp rounds a block of 32, or 16 at the end, together.
    for (int d = thread; d < (head_width + 31) / 32 * 32; d += threads) {
      const float number = d < head_width ? x[d] : 0.0f;
      const cpu::BlockRounding rounding = cpu::block_rounding(largest_of_warp(magnitude(number)));
      if (d >= head_width) continue;
      large.look_at(number);
      const auto quant = static_cast<std::int8_t>(__float2int_rn(number * rounding.factor));
      std::uint8_t* unit = is_value ? value_row<Kv>(head, slot, head_width) + d
                                    : key_unit<Kv>(head, slot, d, head_width) + d % Kv::kUnit;
      *reinterpret_cast<std::int8_t*>(unit) = quant;
      if (d % 32 != 0) continue;
      std::uint16_t* scale = is_value ? reinterpret_cast<std::uint16_t*>(
                                            value_row<Kv>(head, slot, head_width) + head_width) +
                                            d / 32
                                      : key_scale<Kv>(head, slot, d, head_width);
      *scale = float_to_half_bits(rounding.scale);
    }
  } else {
    for (int d = thread; d < head_width; d += threads) {
      std::uint8_t* unit = is_value ? value_row<Kv>(head, slot, head_width)
                                    : key_unit<Kv>(head, slot, d, head_width);
      const int i = is_value ? d : d % Kv::kUnit;
      large.look_at(x[d]);
      if constexpr (Kv::kUnit == 4) {
        reinterpret_cast<float*>(unit)[i] = x[d];
      } else {
        reinterpret_cast<std::uint16_t*>(unit)[i] = float_to_half_bits(x[d]);
      }
    }
  }
}

/// A head of `x`, [head_width] of shared memory, normalised where the model does, rotated and scaled, into `out`.
DEVICE void rotate(float* x, const float* norm, const float* angles, int head_width,
                   int rotary_width, float epsilon, float factor, float* out) {
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  __shared__ float scale;
  if (norm != nullptr) {
    if (thread < 32) {
      const float found = rms_scale(x, head_width, epsilon);
      if (thread == 0) scale = found;
    }
    __syncthreads();
    for (int i = thread; i < head_width; i += threads) x[i] = x[i] * scale * norm[i];
    __syncthreads();
  }
  const int half = rotary_width / 2;
  for (int i = thread; i < half; i += threads) {
    const float low = x[i], high = x[half + i], cosine = angles[i], sine = angles[half + i];
    out[i] = (low * cosine - high * sine) * factor;
    out[half + i] = (high * cosine + low * sine) * factor;
  }
  for (int i = rotary_width + thread; i < head_width; i += threads) out[i] = x[i] * factor;
}

/// Grid: rows, heads of queries and then of keys. Shared memory: [2, head_width] floats.
template <class Kv>
__global__ void prepare_heads(HeadsArgs a) {
  float* x = dynamic_shared<float>();
  float* out = x + a.shape.head_width;
  const int row = static_cast<int>(blockIdx.x), head = static_cast<int>(blockIdx.y);
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int width = a.shape.head_width;
  const std::size_t row_width =
      static_cast<std::size_t>(a.shape.heads + 2 * a.shape.kv_heads) * width;
  float* const source = a.qkv + row * row_width + static_cast<std::size_t>(head) * width;
  let_next_launch_begin();
  wait_for_launch_before();
  const float* const angles = a.angles + static_cast<std::size_t>(row) * a.rotary_width;
  for (int i = thread; i < width; i += threads) x[i] = source[i];
  __syncthreads();
  const bool is_query = head < a.shape.heads;
  rotate(x, is_query ? a.q_norm : a.k_norm, angles, width, a.rotary_width, a.epsilon,
         is_query ? a.query_scale : 1.0f, is_query ? source : out);
  if (is_query) return;
  __syncthreads();
  const int kv_head = head - a.shape.heads;
  const PassRow& at = a.pass_rows[row];
  const LargeNumbers large{a.bound, a.too_large + row};
  store_numbers<Kv>(out, width, at.slot, false,
                    head_at<Kv>(at.cache, at.head_bytes, a.shape, a.layer, kv_head, false), large);
  const float* value = source + static_cast<std::size_t>(a.shape.kv_heads) * width;
  for (int i = thread; i < width; i += threads) x[i] = value[i];
  __syncthreads();
  store_numbers<Kv>(x, width, at.slot, true,
                    head_at<Kv>(at.cache, at.head_bytes, a.shape, a.layer, kv_head, true), large);
}

/// Grid: layers, KV heads, keys and values. Slots are copied in ascending order to lower ones, so that a thread, which
/// copies the same part of each, reads none that it has written over.
template <class Kv>
__global__ void move_slots(MoveArgs a) {
  const int layer = static_cast<int>(blockIdx.x), head = static_cast<int>(blockIdx.y);
  const bool is_value = blockIdx.z == 1;
  const int width = a.shape.head_width;
  std::uint8_t* to = head_at<Kv>(a.to, a.to_head_bytes, a.shape, layer, head, is_value);
  std::uint8_t* from = head_at<Kv>(const_cast<std::uint8_t*>(a.from), a.from_head_bytes, a.shape,
                                   layer, head, is_value);
  const int units = (Kv::row_bytes(width) - (kHasScales<Kv> ? 2 * ((width + 31) / 32) : 0)) / 16;
  const int scales = kHasScales<Kv> ? (width + 31) / 32 : 0;
  for (int u = static_cast<int>(threadIdx.x); u < units + scales;
       u += static_cast<int>(blockDim.x)) {
    for (int i = 0; i < a.count; ++i) {
      const int target = a.first + i, source = a.listed ? a.slots[i] : target;
      if (u >= units) {
        const int block = u - units;
        if (is_value) {
          reinterpret_cast<std::uint16_t*>(value_row<Kv>(to, target, width) + width)[block] =
              reinterpret_cast<const std::uint16_t*>(value_row<Kv>(from, source, width) +
                                                     width)[block];
        } else {
          *key_scale<Kv>(to, target, 32 * block, width) =
              *key_scale<Kv>(from, source, 32 * block, width);
        }
      } else if (is_value && kHasScales<Kv>) {  // rows of values need not be aligned
        for (int n = 0; n < 8; ++n)
          reinterpret_cast<std::uint16_t*>(value_row<Kv>(to, target, width) + 16 * u)[n] =
              reinterpret_cast<const std::uint16_t*>(value_row<Kv>(from, source, width) +
                                                     16 * u)[n];
      } else if (is_value) {
        *reinterpret_cast<uint4*>(value_row<Kv>(to, target, width) + 16 * u) =
            *reinterpret_cast<const uint4*>(value_row<Kv>(from, source, width) + 16 * u);
      } else {
        *reinterpret_cast<uint4*>(key_unit<Kv>(to, target, Kv::kUnit * u, width)) =
            *reinterpret_cast<const uint4*>(key_unit<Kv>(from, source, Kv::kUnit * u, width));
      }
    }
  }
}

/// Grid: rows, heads that are observed.
__global__ void copy_queries(QueryArgs a) {
  const int row = static_cast<int>(blockIdx.x), i = static_cast<int>(blockIdx.y),
            width = a.shape.head_width;
  const float* from =
      a.qkv +
      (static_cast<std::size_t>(row) * (a.shape.heads + 2 * a.shape.kv_heads) + a.heads[i]) * width;
  float* to = a.out + (static_cast<std::size_t>(row) * a.out_heads + i) * width;
  for (int d = static_cast<int>(threadIdx.x); d < width; d += static_cast<int>(blockDim.x))
    to[d] = from[d];
}

}  // namespace outrider::engine::cuda::OUTRIDER_GPU
