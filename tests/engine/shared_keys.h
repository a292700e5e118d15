#pragma once

#include <array>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "runtime/engine/cpu/attention.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/kv_layout.h"

namespace outrider::engine::cpu {

/// What attention of one query gives.
struct Attended {
  std::vector<float> out;
  Softmax softmax = {};
  int best = -1;

  /// Bit for bit.
  bool operator==(const Attended& o) const {
    return out.size() == o.out.size() &&
           std::memcmp(out.data(), o.out.data(), out.size() * sizeof(float)) == 0 &&
           softmax.largest == o.softmax.largest && softmax.total == o.softmax.total &&
           best == o.best;
  }
};

/// Random keys and values of one KV head, and twelve queries.
template <typename Kv>
class SharedKeys {
 public:
  static constexpr int kHeadWidth = 80;  // whole tiles of columns and a rest
  static constexpr int kQueries = Attention<Kv>::kMostQueries;

  SharedKeys(int slots, std::mt19937& random)
      : stride_(Attention<Kv>::stride_for(slots - 1)),
        keys_(static_cast<std::size_t>(layout_.sixteen_keys((slots + 15) / 16))),
        values_(static_cast<std::size_t>(layout_.row() * slots)),
        numbers_(std::size_t{kQueries} * kHeadWidth),
        scratch_(Attention<Kv>::scratch_floats(stride_, kHeadWidth)) {
    std::normal_distribution<float> normal;
    const auto fill = [&](auto& numbers) {
      for (float& v : numbers) v = normal(random);
    };
    std::vector<float> key(kHeadWidth), value(kHeadWidth);
    for (int slot = 0; slot < slots; ++slot) {
      fill(key);
      fill(value);
      set(slot, key, value);
    }
    fill(numbers_);
  }

  void set(int slot, const std::vector<float>& key, const std::vector<float>& value) {
    scalar::kKernels.store_kv(key.data(), value.data(), kHeadWidth, slot, keys_.data(),
                              values_.data());
  }

  const float* query(std::size_t i) const { return numbers_.data() + i * kHeadWidth; }
  /// ALiBi's; most queries have none.
  static float slope(std::size_t i) { return i % 4 == 3 ? 0.01f : 0.0f; }

  /// A number of a slot's key, or value, as it is kept.
  float key(int slot, int d) const {
    const Kv* number = keys_.data() + layout_.key_run(slot, d).offset;
    if constexpr (std::is_same_v<Kv, std::byte>) {
      return scaled(number, keys_.data() + layout_.key_run(slot, kHeadWidth + d / 32).offset);
    } else {
      return as_float(*number);
    }
  }
  float value(int slot, int d) const {
    const Kv* row = values_.data() + layout_.row() * slot;
    if constexpr (std::is_same_v<Kv, std::byte>) {
      return scaled(row + d, row + kHeadWidth + d / 32 * 2);
    } else {
      return as_float(row[d]);
    }
  }

  /// Attention of the queries [first, first + count), computed together. @param paths  of all queries
  std::vector<Attended> attend(const Kernels& kernels, const std::vector<KeyPath>& paths,
                               std::size_t first, std::size_t count) {
    std::vector<Attended> results(count, {std::vector<float>(kHeadWidth)});
    std::array<AttentionQuery, kQueries> queries;
    for (std::size_t i = 0; i < count; ++i)
      queries[i] = {.query = query(first + i),
                    .path = paths[first + i],
                    .slope = slope(first + i),
                    .out = results[i].out.data(),
                    .softmax_out = &results[i].softmax,
                    .best_out = &results[i].best};
    const Attention<Kv> args{.queries = queries.data(),
                             .count = static_cast<int>(count),
                             .head_width = kHeadWidth,
                             .keys = keys_.data(),
                             .values = values_.data(),
                             .next_keys = keys_.data(),
                             .scratch = scratch_.data(),
                             .scratch_stride = stride_};
    kernels.attend(args);
    return results;
  }

 private:
  static float as_float(float number) { return number; }
  static float as_float(Half number) { return half_to_float(number); }
  static float scaled(const std::byte* quant, const std::byte* scale) {
    Half half;
    std::memcpy(&half, scale, sizeof half);
    return static_cast<float>(static_cast<std::int8_t>(*quant)) * half_to_float(half);
  }

  static constexpr KvLayout<Kv> layout_{kHeadWidth};
  const std::size_t stride_;
  std::vector<Kv> keys_;
  std::vector<Kv> values_;
  std::vector<float> numbers_;
  std::vector<float> scratch_;
};

}  // namespace outrider::engine::cpu
