// Keys and values stored as Q8_0.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/engine/cpu/cpu_kv_cache.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/kv_layout.h"

namespace outrider::engine::cpu {
namespace {

constexpr int kNumSlots = 67;

/// Keys and values of one KV head, as given and as stored by the kernels of an instruction set.
struct StoredHead {
  int width;
  KvLayout<std::byte> layout{width};
  std::vector<float> given_keys, given_values;  // [slots, width]
  std::vector<std::byte> keys, values;

  StoredHead(const Kernels& kernels, int head_width, unsigned seed) : width(head_width) {
    const std::size_t row = static_cast<std::size_t>(layout.row());
    keys.resize((kNumSlots + 15) / 16 * 16 * row);
    values.resize(kNumSlots * row);
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (int slot = 0; slot < kNumSlots; ++slot) {
      // Every size, zeros, and an outlier in some blocks.
      const float size = slot % 5 == 4 ? 0.0f : std::ldexp(1.0f, slot % 20 - 10);
      for (auto* given : {&given_keys, &given_values}) {
        for (int d = 0; d < width; ++d) given->push_back(size * normal(random));
        if (slot % 3 == 0) given->back() *= 100;
      }
      kernels.store_kv(given_row(given_keys, slot), given_row(given_values, slot), width, slot,
                       keys.data(), values.data());
    }
  }

  const float* given_row(const std::vector<float>& given, int slot) const {
    return given.data() + slot * width;
  }
  static float product(const std::byte* quant, const std::byte* scale) {
    Half half;
    std::memcpy(&half, scale, sizeof half);
    return static_cast<float>(static_cast<std::int8_t>(*quant)) * half_to_float(half);
  }
  float key(int slot, int d) const {
    return product(keys.data() + layout.key_run(slot, d).offset,
                   keys.data() + layout.key_run(slot, width + d / 32).offset);
  }
  float value(int slot, int d) const {
    const std::byte* row = values.data() + layout.row() * slot;
    return product(row + d, row + width + d / 32 * 2);
  }
};

TEST(KvAsQ8, IsWithinHalfAStepOfTheLargestNumberOfItsBlock) {
  for (const int width : {16, 32, 64, 80}) {
    const StoredHead head(scalar::kKernels, width, 3);
    for (int slot = 0; slot < kNumSlots; ++slot) {
      for (int d = 0; d < width; ++d) {
        const auto expect_near = [&](const std::vector<float>& given, float found) {
          const float* row = head.given_row(given, slot);
          float most = 0;
          for (int i = d / 32 * 32; i < std::min(width, d / 32 * 32 + 32); ++i)
            most = std::max(most, std::abs(row[i]));
          // Half a step, and 127 times the rounding of the scale to a half, subnormal ones included.
          ASSERT_NEAR(found, row[d], most / 127 * 0.57f + 4e-6f) << slot << ", " << d;
        };
        expect_near(head.given_keys, head.key(slot, d));
        expect_near(head.given_values, head.value(slot, d));
      }
    }
  }
}

TEST(KvAsQ8, IsTheSameBytesOnEveryInstructionSet) {
  for (const int width : {16, 32, 48, 64, 80}) {
    const StoredHead expected(scalar::kKernels, width, 5);
    for (const Isa isa : available_isas()) {
      const StoredHead found(kernels_for(isa), width, 5);
      EXPECT_EQ(found.keys, expected.keys) << kernels_for(isa).name << ", " << width;
      EXPECT_EQ(found.values, expected.values) << kernels_for(isa).name << ", " << width;
    }
  }
}

/// Attention of one row over all slots. @return its output, then the softmax's maximum and sum
template <typename Kv>
std::vector<float> attended(const Kernels& kernels, int width, const std::vector<Kv>& keys,
                            const std::vector<Kv>& values, const std::vector<float>& query) {
  const std::size_t stride = Attention<Kv>::stride_for(kNumSlots - 1);
  std::vector<float> scratch(Attention<Kv>::scratch_floats(stride, width));
  std::vector<float> out(static_cast<std::size_t>(width));
  Softmax softmax = {};
  const AttentionQuery only{.query = query.data(),
                            .path = {0, kNumSlots, nullptr, 0},
                            .slope = 0,
                            .out = out.data(),
                            .softmax_out = &softmax,
                            .best_out = nullptr};
  kernels.attend(Attention<Kv>{.queries = &only,
                               .count = 1,
                               .head_width = width,
                               .keys = keys.data(),
                               .values = values.data(),
                               .next_keys = keys.data(),
                               .scratch = scratch.data(),
                               .scratch_stride = stride});
  out.push_back(softmax.largest);
  out.push_back(softmax.total);
  return out;
}

TEST(KvAsQ8, IsAttendedToAsTheFloatsThatItStandsFor) {
  for (const int width : {16, 32, 64, 80}) {
    const StoredHead head(scalar::kKernels, width, 9);
    const std::size_t row = static_cast<std::size_t>(width);
    std::vector<float> keys((kNumSlots + 15) / 16 * 16 * row), values(kNumSlots * row), query(row);
    std::vector<float> key(row), value(row);
    for (int slot = 0; slot < kNumSlots; ++slot) {
      for (int d = 0; d < width; ++d) {
        key[static_cast<std::size_t>(d)] = head.key(slot, d);
        value[static_cast<std::size_t>(d)] = head.value(slot, d);
      }
      scalar::kKernels.store_kv(key.data(), value.data(), width, slot, keys.data(), values.data());
    }
    for (std::size_t d = 0; d < row; ++d) query[d] = 0.001f * static_cast<float>(d % 7) - 0.002f;
    const auto expected = attended(scalar::kKernels, width, keys, values, query);
    for (const Isa isa : available_isas())
      EXPECT_EQ(attended(kernels_for(isa), width, head.keys, head.values, query), expected)
          << kernels_for(isa).name << ", " << width;
  }
}

TEST(KvAsQ8, TakesAboutHalfTheBytesOfHalves) {
  model::ModelConfig config;
  config.layers = 3;
  config.kv_heads = 2;
  config.head_width = 64;
  const std::int64_t halves = CpuKvCache::bytes(config, 160, KvType::kF16);
  EXPECT_EQ(CpuKvCache::bytes(config, 160, KvType::kQ8_0), halves * 34 / 64);
  config.head_width = 80;  // blocks of 32, 32 and 16
  EXPECT_EQ(CpuKvCache::bytes(config, 160, KvType::kQ8_0),
            CpuKvCache::bytes(config, 160, KvType::kF16) * 86 / 160);
}

}  // namespace
}  // namespace outrider::engine::cpu
