#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "runtime/base/half.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/kv_layout.h"

namespace outrider::engine::cpu {
namespace {

/// Random keys and values of one KV head, and a query that sees some of them.
template <typename Kv>
struct Attending {
  static constexpr int kWidth = 48, kSlots = 150, kFirst = 21, kPosition = 140;
  static constexpr std::size_t kSixteens = (kSlots + 15) / 16;
  const std::size_t row = static_cast<std::size_t>(KvLayout<Kv>{kWidth}.row());
  std::vector<Kv> keys = std::vector<Kv>(kSixteens * 16 * row);
  std::vector<Kv> values = std::vector<Kv>(kSlots * row);
  std::vector<float> query;
  std::vector<float> scratch =
      std::vector<float>(Attention<Kv>::scratch_floats(Attention<Kv>::stride_for(kSlots), kWidth));
  std::vector<float> out = std::vector<float>(kWidth);
  float slope;
  Softmax softmax = {};

  Attending(float alibi, std::mt19937& random) : slope(alibi) {
    std::normal_distribution<float> normal;
    std::vector<float> key(kWidth), value(kWidth);
    for (int slot = 0; slot < kSlots; ++slot) {
      for (float& v : key) v = normal(random);
      for (float& v : value) v = normal(random);
      const Kernels& kernels = scalar::kKernels;
      kernels.store_kv(key.data(), value.data(), kWidth, slot, keys.data(), values.data());
    }
    for (int i = 0; i < kWidth; ++i) query.push_back(normal(random));
  }

  void attend(const Kernels& kernels) {
    const AttentionQuery only{.query = query.data(),
                              .path = {kFirst, kPosition + 1, nullptr, 0},
                              .slope = slope,
                              .out = out.data(),
                              .softmax_out = &softmax,
                              .best_out = nullptr};
    const Attention<Kv> args{.queries = &only,
                             .count = 1,
                             .head_width = kWidth,
                             .keys = keys.data(),
                             .values = values.data(),
                             .next_keys = keys.data(),
                             .scratch = scratch.data(),
                             .scratch_stride = Attention<Kv>::stride_for(kSlots)};
    kernels.attend(args);
  }

  std::vector<float> weights(const Kernels& kernels, const std::vector<int>& slots) {
    std::vector<float> weights(slots.size());
    const KeyWeights<Kv> args{.query = query.data(),
                              .head_width = kWidth,
                              .keys = keys.data(),
                              .slots = slots.data(),
                              .count = static_cast<int>(slots.size()),
                              .position = kPosition,
                              .slope = slope,
                              .softmax = softmax,
                              .out = weights.data()};
    kernels.weigh_keys(args);
    return weights;
  }

  double value(int slot, int i) const {
    const Kv* numbers = values.data() + static_cast<std::size_t>(slot) * row;
    if constexpr (std::is_same_v<Kv, float>) {
      return numbers[i];
    } else if constexpr (std::is_same_v<Kv, Half>) {
      return half_to_float(numbers[i]);
    } else {
      Half scale;
      std::memcpy(&scale, numbers + kWidth + i / 32 * 2, sizeof scale);
      return static_cast<double>(half_to_float(scale)) * static_cast<std::int8_t>(numbers[i]);
    }
  }
};

template <typename Kv>
void expect_weights_as_attended_with(float slope) {
  std::mt19937 random(17);
  Attending<Kv> row(slope, random);
  row.attend(scalar::kKernels);
  std::vector<int> seen;
  for (int slot = row.kFirst; slot <= row.kPosition; ++slot) seen.push_back(slot);
  const std::vector<float> all = row.weights(scalar::kKernels, seen);
  for (int i = 0; i < row.kWidth; ++i) {
    double sum = 0;
    for (std::size_t n = 0; n < seen.size(); ++n)
      sum += static_cast<double>(all[n]) * row.value(seen[n], i);
    EXPECT_NEAR(row.out[static_cast<std::size_t>(i)], sum, 1e-5);
  }
  const Softmax softmax = row.softmax;
  for (const Isa isa : available_isas()) {
    row.attend(kernels_for(isa));
    EXPECT_EQ(row.softmax.largest, softmax.largest) << kernels_for(isa).name;
    EXPECT_EQ(row.softmax.total, softmax.total) << kernels_for(isa).name;
    for (const unsigned one_in : {1u, 2u, 7u, 30u}) {  // a few keys in each block, or in some
      std::vector<int> chosen;
      std::vector<float> expected;
      for (std::size_t n = 0; n < seen.size(); ++n) {
        if (random() % one_in != 0) continue;
        chosen.push_back(seen[n]);
        expected.push_back(all[n]);
      }
      EXPECT_EQ(row.weights(kernels_for(isa), chosen), expected) << kernels_for(isa).name;
    }
  }
}

TEST(Kernels, WeighChosenKeysAsTheyAttendToThem) {
  for (const float slope : {0.0f, 0.25f}) {
    expect_weights_as_attended_with<float>(slope);
    expect_weights_as_attended_with<Half>(slope);
    expect_weights_as_attended_with<std::byte>(slope);
  }
}

}  // namespace
}  // namespace outrider::engine::cpu
