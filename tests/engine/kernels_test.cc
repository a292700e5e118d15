#include "runtime/engine/cpu/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/packed_matrix.h"
#include "tests/engine/quantised_product.h"

namespace outrider::engine::cpu {
namespace {

using namespace plain;

constexpr int kInputs = 512;

class EveryIsa : public testing::TestWithParam<model::WeightType> {};

// The extremes are where 16-bit sums would saturate: weights -128 (or 0, or 15) against ±127.
TEST_P(EveryIsa, MultipliesExtremesAsTheScalarKernelDoes) {
  for (const int byte : {0x00, 0x80, 0x7f, 0xff}) {
    const TestMatrix matrix(
        GetParam(), kInputs, [&] { return byte; }, [] { return 0.01f; });
    for (const std::int8_t activation : {std::int8_t{-127}, std::int8_t{127}}) {
      const TestRows x(kInputs, std::vector<std::int8_t>(kInputs, activation), 0.02f);
      const auto scalar = product(scalar::kKernels, matrix.packed, x, 0, 1);
      for (const Isa isa : available_isas())
        EXPECT_EQ(product(kernels_for(isa), matrix.packed, x, 0, 1), scalar)
            << kernels_for(isa).name;
    }
  }
}

TEST_P(EveryIsa, MultipliesRandomRowsAsTheScalarKernelDoesOneByOne) {
  std::mt19937 random(7);
  const TestMatrix matrix = random_matrix(GetParam(), kInputs, random);
  constexpr int kRows = 27;
  constexpr float kScale = 0.0123f;
  const TestRows x = random_rows(kRows, kInputs, kScale, random);
  const std::vector<float> one_by_one = product_one_by_one(matrix.packed, x, kRows);
  for (std::size_t i = 0; i < one_by_one.size(); ++i) {
    const std::size_t row = i / kOutputs;
    const std::size_t output = i % kOutputs;
    std::vector<float> weights(kInputs);
    matrix.weight.read_row(static_cast<std::int64_t>(output), weights.data());
    double expected = 0.5, size = 0;
    for (std::size_t k = 0; k < kInputs; ++k) {
      const double term = static_cast<double>(weights[k]) * x.quants[row * kInputs + k] *
                          static_cast<double>(kScale);
      expected += term;
      size += std::abs(term);
    }
    EXPECT_NEAR(one_by_one[i], expected, 1e-6 * size) << "row " << row << ", output " << output;
  }
  for (const Isa isa : available_isas()) {
    for (int rows = 1; rows <= kRows; ++rows) {
      const auto out = product(kernels_for(isa), matrix.packed, x, 0, rows);
      EXPECT_EQ(out, std::vector<float>(one_by_one.begin(), one_by_one.begin() + rows * kOutputs))
          << kernels_for(isa).name << ", " << rows << " rows";
    }
  }
}

// The row counts are those around which tiles change their height.
TEST_P(EveryIsa, WritesTheOutputsOfAThreadsPanelsOnly) {
  std::mt19937 random(8);
  const TestMatrix matrix = random_matrix(GetParam(), kInputs, random);
  constexpr int kRows = 31;
  const TestRows x = random_rows(kRows, kInputs, 0.0123f, random);
  const std::vector<float> one_by_one = product_one_by_one(matrix.packed, x, kRows);
  for (const Share panels : {Share{0, 1}, Share{0, 2}, Share{1, 2}, Share{1, 3}, Share{2, 3}}) {
    std::vector<float> expected(one_by_one.size(), 0.5f);
    for (int i = 0; i < kRows * kOutputs; ++i) {
      const int panel = i % kOutputs / 16;
      if (panel >= panels.begin && panel < panels.end)
        expected[static_cast<std::size_t>(i)] = one_by_one[static_cast<std::size_t>(i)];
    }
    for (const Isa isa : available_isas()) {
      for (const int rows : {1, 4, 5, 8, 9, 12, 13, 18, 19, 24, 25, 30, 31}) {
        const auto out = product(kernels_for(isa), matrix.packed, x, 0, rows, panels);
        EXPECT_EQ(out, std::vector<float>(expected.begin(), expected.begin() + rows * kOutputs))
            << kernels_for(isa).name << ", " << rows << " rows, panels from " << panels.begin
            << " to " << panels.end;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(QuantisedTypes, EveryIsa,
                         testing::Values(model::WeightType::kQ4_0, model::WeightType::kQ4_1,
                                         model::WeightType::kQ5_0, model::WeightType::kQ5_1,
                                         model::WeightType::kQ8_0, model::WeightType::kQ4_K,
                                         model::WeightType::kQ5_K, model::WeightType::kQ6_K));

// Widening is exact, so two-byte weights give the bits of the same weights as floats, as far as floats
// are added up in one chain too.
TEST(Kernels, MultiplyTwoByteWeightsAsTheFloatsTheyAre) {
  std::mt19937 random(5);
  constexpr int kRows = 8;
  constexpr int kChain = 32;
  std::vector<float> x(kRows * kChain);
  for (float& v : x) v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 1e-3f;
  for (const auto type : {model::WeightType::kF16, model::WeightType::kBF16}) {
    std::vector<std::byte> bytes(std::size_t{2} * kOutputs * kChain);
    for (std::size_t i = 0; i < bytes.size(); i += 2) {  // no infinities, no NaN
      bytes[i] = static_cast<std::byte>(random() & 255);
      bytes[i + 1] = static_cast<std::byte>(random() & 0xbb);
    }
    const model::Weight weight = {.name = "w",
                                  .type = type,
                                  .rows = kOutputs,
                                  .columns = kChain,
                                  .bytes = bytes,
                                  .row_order = {}};
    const auto multiply = [&](const Kernels& kernels, Packing packing, int rows) {
      PackedMatrix matrix(packing, kOutputs, kChain);
      AlignedBuffer<std::uint8_t> storage(matrix.bytes());
      matrix.place(storage.data());
      for (int p = 0; p < matrix.panels(); ++p) matrix.fill_panel(p, weight);
      std::vector<float> out(static_cast<std::size_t>(rows * kOutputs));
      kernels.product(packing, {.panels = matrix.data(),
                                .inputs = kChain,
                                .first_panel = 0,
                                .last_panel = matrix.panels(),
                                .rows = rows,
                                .x = x.data(),
                                .quants = nullptr,
                                .scales = nullptr,
                                .activation_stride = 0,
                                .out = out.data(),
                                .out_stride = kOutputs,
                                .accumulate = false});
      return out;
    };
    for (const Isa isa : available_isas())
      for (const int rows : {1, 2, 3, kRows})
        EXPECT_EQ(multiply(kernels_for(isa), own_packing(type), rows),
                  multiply(scalar::kKernels, Packing::kF32, rows))
            << kernels_for(isa).name << ", " << rows << " rows";
  }
}

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
    std::vector<float> x(kInputs), weight(kInputs);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = size * (static_cast<float>(i % 37) - 17.5f) / 18.0f;
      weight[i] = 0.5f + static_cast<float>(i % 11) / 8.0f;
    }
    constexpr float kEpsilon = 1e-5f;
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * v;
    const double scale = 1.0 / std::sqrt(squares / kInputs + static_cast<double>(kEpsilon));
    std::vector<float> expected(x.size());
    scalar::kKernels.rms_norm(x.data(), weight.data(), kInputs, kEpsilon, expected.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = static_cast<double>(x[i]) * scale * weight[i];
      EXPECT_NEAR(expected[i], right, 1e-6 * std::abs(right));
    }
    for (const Isa isa : available_isas()) {
      std::vector<float> found(x.size());
      kernels_for(isa).rms_norm(x.data(), weight.data(), kInputs, kEpsilon, found.data());
      EXPECT_EQ(found, expected) << kernels_for(isa).name;
    }
  }
}

// Far from zero as well, where a variance from the mean square would be lost in rounding.
TEST(Kernels, NormaliseByMeanAndVarianceAlikeAndRight) {
  for (const float centre : {0.0f, -3.0f, 200.0f}) {
    std::vector<float> x(kInputs), weight(kInputs), bias(kInputs);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = centre + (static_cast<float>(i % 37) - 15.5f) / 18.0f;
      weight[i] = 0.5f + static_cast<float>(i % 11) / 8.0f;
      bias[i] = static_cast<float>(i % 7) - 3.0f;
    }
    constexpr float kEpsilon = 1e-2f;
    double mean = 0, variance = 0;
    for (const float v : x) mean += static_cast<double>(v) / kInputs;
    for (const float v : x) variance += (static_cast<double>(v) - mean) * (v - mean) / kInputs;
    const double scale = 1.0 / std::sqrt(variance + static_cast<double>(kEpsilon));
    std::vector<float> expected(x.size());
    scalar::kKernels.layer_norm(x.data(), weight.data(), bias.data(), kInputs, kEpsilon,
                                expected.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = (static_cast<double>(x[i]) - mean) * scale * weight[i] + bias[i];
      EXPECT_NEAR(expected[i], right, 2e-6 * (1 + std::abs(static_cast<double>(centre) * scale)));
    }
    for (const Isa isa : available_isas()) {
      std::vector<float> found(x.size());
      kernels_for(isa).layer_norm(x.data(), weight.data(), bias.data(), kInputs, kEpsilon,
                                  found.data());
      EXPECT_EQ(found, expected) << kernels_for(isa).name;
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

TEST(Kernels, ComputeSiluAlikeAndRight) {
  std::vector<float> gate;
  for (float x = -100.0f; x <= 100.0f; x += 0.37f) gate.push_back(x);
  gate.resize(gate.size() / 16 * 16);
  const std::vector<float> up(gate.size(), 1.5f);
  std::vector<float> expected = gate;
  scalar::kKernels.silu_times(expected.data(), up.data(), static_cast<int>(gate.size()));
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double x = gate[i];
    const double right = x / (1.0 + std::exp(-x)) * 1.5;
    EXPECT_NEAR(expected[i], right, 1e-6 * std::abs(right) + 1e-30);
  }
  for (const Isa isa : available_isas()) {
    std::vector<float> found = gate;
    kernels_for(isa).silu_times(found.data(), up.data(), static_cast<int>(gate.size()));
    EXPECT_EQ(found, expected) << kernels_for(isa).name;
  }
}

/// Random keys and values of one KV head, and a query that sees some of them.
template <typename Kv>
struct Attending {
  static constexpr int kWidth = 32, kSlots = 150, kFirst = 21, kPosition = 140;
  std::vector<Kv> keys = std::vector<Kv>(kWidth * (kSlots + 15) / 16 * 16);
  std::vector<Kv> values = std::vector<Kv>(kWidth * kSlots);
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
      if constexpr (std::is_same_v<Kv, float>)
        kernels.store_kv_f32(key.data(), value.data(), kWidth, slot, keys.data(), values.data());
      else
        kernels.store_kv_f16(key.data(), value.data(), kWidth, slot, keys.data(), values.data());
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
    if constexpr (std::is_same_v<Kv, float>)
      kernels.attend_f32(args);
    else
      kernels.attend_f16(args);
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
    if constexpr (std::is_same_v<Kv, float>)
      kernels.weigh_keys_f32(args);
    else
      kernels.weigh_keys_f16(args);
    return weights;
  }

  double value(int slot, int i) const {
    const Kv v = values[static_cast<std::size_t>(slot * kWidth + i)];
    if constexpr (std::is_same_v<Kv, float>)
      return v;
    else
      return half_to_float(v);
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
