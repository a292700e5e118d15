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

/// Writes a key, or value, [head_width], rounded, into its slot. All lanes of a warp take part.
template <class Kv>
DEVICE void store_numbers(const float* x, int head_width, int slot, bool is_value,
                          std::uint8_t* head, const LargeNumbers& large) {
  if constexpr (kHasScales<Kv>) {
    // A block of 32, or 16 at the end, is rounded at once.
    for (int d = lane_of_thread(); d < (head_width + 31) / 32 * 32; d += 32) {
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
    for (int d = lane_of_thread(); d < head_width; d += 32) {
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

/// A head of `x`, [head_width] of shared memory, normalised where the model does, rotated and scaled, into `out`. All lanes
/// of a warp take part.
DEVICE void rotate(float* x, const float* norm, const float* angles, int head_width,
                   int rotary_width, float epsilon, float factor, float* out) {
  const int lane = lane_of_thread();
  if (norm != nullptr) {
    const float scale = rms_scale(x, head_width, epsilon);
    __syncwarp();
    for (int i = lane; i < head_width; i += 32) x[i] = x[i] * scale * norm[i];
    __syncwarp();
  }
  const int half = rotary_width / 2;
  for (int i = lane; i < half; i += 32) {
    const float low = x[i], high = x[half + i], cosine = angles[i], sine = angles[half + i];
    out[i] = (low * cosine - high * sine) * factor;
    out[half + i] = (high * cosine + low * sine) * factor;
  }
  for (int i = rotary_width + lane; i < head_width; i += 32) out[i] = x[i] * factor;
}

/// One head of one row, by a warp: of queries, then of keys, then of values.
/// @param x  [2, head_width] floats of shared memory
template <class Kv>
DEVICE void prepare_head(const HeadsArgs& a, int row, int head, float* x) {
  const int width = a.shape.head_width, kv_heads = a.shape.kv_heads;
  const std::size_t row_width = static_cast<std::size_t>(a.shape.heads + 2 * kv_heads) * width;
  float* const source = a.qkv + row * row_width + static_cast<std::size_t>(head) * width;
  const PassRow& at = a.pass_rows[row];
  const LargeNumbers large{a.bound, a.too_large + row};
  if (head >= a.shape.heads + kv_heads) {
    std::uint8_t* const values = head_at<Kv>(at.cache, at.head_bytes, a.shape, a.layer,
                                             head - a.shape.heads - kv_heads, true);
    return store_numbers<Kv>(source, width, at.slot, true, values, large);
  }
  for (int i = lane_of_thread(); i < width; i += 32) x[i] = source[i];
  __syncwarp();
  const float* const angles = a.angles + static_cast<std::size_t>(row) * a.rotary_width;
  const auto rotate_to = [&](const float* norm, float factor, float* out) {
    rotate(x, norm, angles, width, a.rotary_width, a.epsilon, factor, out);
  };
  if (head < a.shape.heads) return rotate_to(a.q_norm, a.query_scale, source);
  float* const out = x + width;
  rotate_to(a.k_norm, 1, out);
  __syncwarp();
  std::uint8_t* const keys =
      head_at<Kv>(at.cache, at.head_bytes, a.shape, a.layer, head - a.shape.heads, false);
  store_numbers<Kv>(out, width, at.slot, false, keys, large);
}

/// Grid: rows, heads of queries, keys and values. Block: a warp. Shared memory: [2, head_width] floats.
template <class Kv>
__global__ void prepare_heads(HeadsArgs a) {
  let_next_launch_begin();
  wait_for_launch_before();
  prepare_head<Kv>(a, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                   dynamic_shared<float>());
}

/// Copies keys, or values, of a head to the slots from `first` on, in ascending order to lower ones or from another cache, so
/// that a thread, which copies the same part of each, reads none that it has written over.
/// @param source_of  the slot that is copied to the i-th of them
template <class Kv, class SourceOf>
DEVICE void copy_slots(std::uint8_t* to, std::uint8_t* from, bool is_value, int width, int first,
                       int count, const SourceOf& source_of) {
  const int units = (Kv::row_bytes(width) - (kHasScales<Kv> ? 2 * ((width + 31) / 32) : 0)) / 16;
  const int scales = kHasScales<Kv> ? (width + 31) / 32 : 0;
  for (int u = static_cast<int>(threadIdx.x); u < units + scales;
       u += static_cast<int>(blockDim.x)) {
    for (int i = 0; i < count; ++i) {
      const int target = first + i, source = source_of(i);
      if (source == target && from == to) continue;  // the first rows of a path mostly lie right
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

/// Grid: layers, KV heads, keys and values.
template <class Kv>
__global__ void move_slots(MoveArgs a) {
  const int layer = static_cast<int>(blockIdx.x), head = static_cast<int>(blockIdx.y);
  const bool is_value = blockIdx.z == 1;
  std::uint8_t* to = head_at<Kv>(a.to, a.to_head_bytes, a.shape, layer, head, is_value);
  std::uint8_t* from = head_at<Kv>(const_cast<std::uint8_t*>(a.from), a.from_head_bytes, a.shape,
                                   layer, head, is_value);
  copy_slots<Kv>(to, from, is_value, a.shape.head_width, a.first, a.count,
                 [&](int i) { return a.listed ? a.slots[i] : a.first + i; });
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
