#include "runtime/engine/cpu/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "runtime/engine/cpu/instruction_set.h"

namespace outrider::engine::cpu {
namespace {

constexpr int kRowWidth = 512;

TEST(Kernels, QuantiseAlikeAndToTheNearest) {
  std::mt19937 random(3);
  std::vector<float> x(256);
  for (float& v : x)
    v = std::ldexp(static_cast<float>(random() % 20001) - 10000.0f,
                   static_cast<int>(random() % 20) - 20);
  for (std::size_t i = 32; i < 64; ++i) x[i] = 0.0f;
  for (std::size_t i = 64; i < 96; ++i)
    x[i] = (i % 2 == 0 ? 127.0f : static_cast<float>(i) + 0.5f - 64.0f);
  std::vector<std::int8_t> expected(x.size());
  std::vector<BlockScale> scales(x.size() / 32);
  scalar::kKernels.quantise(x.data(), static_cast<int>(x.size()), 1, expected.data(),
                            scales.data());
  EXPECT_EQ(expected[65], 2);  // 1.5 is a tie, and 2 is even
  EXPECT_EQ(expected[67], 4);  // 3.5 likewise
  EXPECT_EQ(scales[1].scale, 0.0f);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(static_cast<float>(expected[i]) * scales[i / 32].scale, x[i],
                scales[i / 32].scale * 0.501f);
  for (const Isa isa : available_isas()) {
    std::vector<std::int8_t> found(x.size());
    std::vector<BlockScale> found_scales(scales.size());
    kernels_for(isa).quantise(x.data(), static_cast<int>(x.size()), 1, found.data(),
                              found_scales.data());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::memcmp(found_scales.data(), scales.data(), scales.size() * sizeof(BlockScale)),
              0);
  }
}

TEST(Kernels, NormaliseAlikeAndRight) {
  // As small as epsilon makes itself felt, and as large as states grow.
  for (const float size : {1e-3f, 1.0f, 300.0f}) {
    std::vector<float> x(kRowWidth), weight(kRowWidth);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = size * (static_cast<float>(i % 37) - 17.5f) / 18.0f;
      weight[i] = 0.5f + static_cast<float>(i % 11) / 8.0f;
    }
    constexpr float kEpsilon = 1e-5f;
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * v;
    const double scale = 1.0 / std::sqrt(squares / kRowWidth + static_cast<double>(kEpsilon));
    std::vector<float> expected(x.size());
    scalar::kKernels.rms_norm(x.data(), weight.data(), kRowWidth, kEpsilon, expected.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = static_cast<double>(x[i]) * scale * weight[i];
      EXPECT_NEAR(expected[i], right, 1e-6 * std::abs(right));
    }
    for (const Isa isa : available_isas()) {
      std::vector<float> found(x.size());
      kernels_for(isa).rms_norm(x.data(), weight.data(), kRowWidth, kEpsilon, found.data());
      EXPECT_EQ(found, expected) << kernels_for(isa).name;
    }
  }
}

// Far from zero as well, where a variance from the mean square would be lost in rounding.
TEST(Kernels, NormaliseByMeanAndVarianceAlikeAndRight) {
  for (const float centre : {0.0f, -3.0f, 200.0f}) {
    std::vector<float> x(kRowWidth), weight(kRowWidth), bias(kRowWidth);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = centre + (static_cast<float>(i % 37) - 15.5f) / 18.0f;
      weight[i] = 0.5f + static_cast<float>(i % 11) / 8.0f;
      bias[i] = static_cast<float>(i % 7) - 3.0f;
    }
    constexpr float kEpsilon = 1e-2f;
    double mean = 0, variance = 0;
    for (const float v : x) mean += static_cast<double>(v) / kRowWidth;
    for (const float v : x) variance += (static_cast<double>(v) - mean) * (v - mean) / kRowWidth;
    const double scale = 1.0 / std::sqrt(variance + static_cast<double>(kEpsilon));
    std::vector<float> expected(x.size());
    scalar::kKernels.layer_norm(x.data(), weight.data(), bias.data(), kRowWidth, kEpsilon,
                                expected.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = (static_cast<double>(x[i]) - mean) * scale * weight[i] + bias[i];
      EXPECT_NEAR(expected[i], right, 2e-6 * (1 + std::abs(static_cast<double>(centre) * scale)));
    }
    for (const Isa isa : available_isas()) {
      std::vector<float> found(x.size());
      kernels_for(isa).layer_norm(x.data(), weight.data(), bias.data(), kRowWidth, kEpsilon,
                                  found.data());
      EXPECT_EQ(found, expected) << kernels_for(isa).name;
    }
  }
}

// Widths of whole heads and of parts of them: sixteens of pairs, and a rest of 8, of 10 or of 1.
TEST(Kernels, RotatePairsOfAnyWidthAlikeAndRight) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const int width : {2, 16, 20, 32, 48, 64, 80, 96}) {
    const std::size_t half = static_cast<std::size_t>(width) / 2;
    std::vector<float> head(96), angles;
    for (float& v : head) v = normal(random);
    for (std::size_t i = 0; i < 2 * half; ++i) angles.push_back(normal(random));
    constexpr float kScale = 0.37f;
    std::vector<float> expected = head;
    scalar::kKernels.rope(expected.data(), angles.data(), width, kScale);
    for (std::size_t i = 0; i < head.size(); ++i) {
      double right = head[i];
      const auto times = [&](std::size_t a, std::size_t b) {
        return static_cast<double>(head[a]) * static_cast<double>(angles[b]);
      };
      if (i < half) right = (times(i, i) - times(half + i, half + i)) * static_cast<double>(kScale);
      if (i >= half && i < 2 * half)
        right = (times(i, i - half) + times(i - half, i)) * static_cast<double>(kScale);
      EXPECT_NEAR(expected[i], right, 1e-6) << "number " << i << " of " << width;
    }
    for (const Isa isa : available_isas()) {
      std::vector<float> found = head;
      kernels_for(isa).rope(found.data(), angles.data(), width, kScale);
      EXPECT_EQ(found, expected) << kernels_for(isa).name << ", width " << width;
    }
  }
}

using Activation = void (*Kernels::*)(float*, int);

void expect_activation(Activation activation, const std::function<double(double)>& right) {
  std::vector<float> x;
  for (float v = -100.0f; v <= 100.0f; v += 0.37f) x.push_back(v);
  for (float v = -6.0f; v <= 6.0f; v += 0.0073f) x.push_back(v);
  x.resize(x.size() / 16 * 16);
  const int count = static_cast<int>(x.size());
  std::vector<float> expected = x;
  (scalar::kKernels.*activation)(expected.data(), count);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(expected[i], right(x[i]), 3e-7 * (1 + std::abs(static_cast<double>(x[i])))) << x[i];
  for (const Isa isa : available_isas()) {
    std::vector<float> found = x;
    (kernels_for(isa).*activation)(found.data(), count);
    EXPECT_EQ(found, expected) << kernels_for(isa).name;
  }
}

TEST(Kernels, ComputeReluAndGeluAlikeAndRight) {
  expect_activation(&Kernels::relu, [](double x) { return std::max(x, 0.0); });
  expect_activation(&Kernels::gelu_tanh, [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  });
  expect_activation(&Kernels::gelu_erf,
                    [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); });
}

/// @param right   of a gate, without `up`
/// @param within  relative error
void expect_gate(void (*Kernels::*gated)(float* gate, const float* up, int n), double within,
                 double (*right)(double x)) {
  std::vector<float> gate;
  for (float x = -100.0f; x <= 100.0f; x += 0.37f) gate.push_back(x);
  gate.resize(gate.size() / 16 * 16);
  const std::vector<float> up(gate.size(), 1.5f);
  std::vector<float> expected = gate;
  (scalar::kKernels.*gated)(expected.data(), up.data(), static_cast<int>(gate.size()));
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double wanted = right(gate[i]) * 1.5;
    EXPECT_NEAR(expected[i], wanted, within * std::abs(wanted) + 1e-30);
  }
  for (const Isa isa : available_isas()) {
    std::vector<float> found = gate;
    (kernels_for(isa).*gated)(found.data(), up.data(), static_cast<int>(gate.size()));
    EXPECT_EQ(found, expected) << kernels_for(isa).name;
  }
}

TEST(Kernels, ComputeGatesAlikeAndRight) {
  expect_gate(&Kernels::silu_times, 1e-6, [](double x) { return x / (1.0 + std::exp(-x)); });
  // Beyond exp(87) the tail is that of 87; below it, rounding of the exponent counts for up to 87 * 2^-23.
  expect_gate(&Kernels::gelu_times, 2e-5, [](double x) {
    const double exponent = -2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(std::min(exponent, 88.0)));
  });
}

TEST(Kernels, ClampGatesAlikeAndRight) {
  constexpr float kSharpness = 1.702f, kLimit = 7.0f;
  std::vector<float> gate, up;
  for (float g = -60.0f; g <= 20.0f; g += 0.61f) {
    for (const float u : {-1e9f, -7.0f, -1.0f, -0.25f, 3.0f, 7.5f, 1e9f}) {
      gate.push_back(g);
      up.push_back(u);
    }
  }
  gate.resize(gate.size() / 16 * 16);
  const int count = static_cast<int>(gate.size());
  std::vector<float> expected = gate;
  scalar::kKernels.clamped_times(expected.data(), up.data(), count, kSharpness, kLimit);
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double g = std::min(gate[i], kLimit), u = std::clamp(up[i], -kLimit, kLimit);
    const double exponent = std::min(-static_cast<double>(kSharpness) * g, 88.0);
    const double right = g / (1 + std::exp(exponent)) * (u + 1);
    EXPECT_NEAR(expected[i], right, 1e-5 * std::abs(right)) << gate[i] << ", " << up[i];
  }
  for (const Isa isa : available_isas()) {
    std::vector<float> found = gate;
    kernels_for(isa).clamped_times(found.data(), up.data(), count, kSharpness, kLimit);
    EXPECT_EQ(found, expected) << kernels_for(isa).name;
  }
}

TEST(Kernels, BoundSoftlyAlikeAndRight) {
  std::vector<float> x = {0.0f, -0.0f, 1e-30f, 1e-10f, -3e-5f, 0.03f, 1e30f, -1e30f};
  for (float v = -200.0f; v <= 200.0f; v += 0.173f) x.push_back(v);
  x.resize(x.size() / 16 * 16);
  const int count = static_cast<int>(x.size());
  for (const float cap : {1.0f, 30.0f, 50.0f}) {
    std::vector<float> expected = x;
    scalar::kKernels.soft_cap(expected.data(), count, cap);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = static_cast<double>(cap) * std::tanh(static_cast<double>(x[i] / cap));
      EXPECT_NEAR(expected[i], right, 4e-7 * std::abs(right)) << x[i] << ", cap " << cap;
    }
    for (const Isa isa : available_isas()) {
      std::vector<float> found = x;
      kernels_for(isa).soft_cap(found.data(), count, cap);
      EXPECT_EQ(found, expected) << kernels_for(isa).name;
    }
  }
}

TEST(Half, RoundsAsTheProcessorDoesAndComesBackExactly) {
  for (std::uint32_t h = 0; h < 65536; ++h) {
    const float f = half_to_float(static_cast<Half>(h));
    if (std::isnan(f)) continue;
    EXPECT_EQ(static_cast<std::uint32_t>(float_to_half(f)), h);
  }
  std::mt19937 random(11);
  std::vector<float> key(32), value(32);
  for (int round = 0; round < 20000; ++round) {
    for (float& v : key)
      v = std::ldexp(static_cast<float>(random()) - 2147483648.0f,
                     static_cast<int>(random() % 60) - 60);
    value = key;
    std::vector<Half> keys(32 * 16), values(32 * 16), expected_keys(32 * 16),
        expected_values(32 * 16);
    scalar::kKernels.store_kv_f16(key.data(), value.data(), 32, 3, expected_keys.data(),
                                  expected_values.data());
    for (const Isa isa : available_isas()) {
      kernels_for(isa).store_kv_f16(key.data(), value.data(), 32, 3, keys.data(), values.data());
      ASSERT_EQ(keys, expected_keys);
      ASSERT_EQ(values, expected_values);
    }
  }
}

}  // namespace
}  // namespace outrider::engine::cpu
