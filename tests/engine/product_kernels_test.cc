#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "runtime/engine/cpu/instruction_set.h"
#include "runtime/engine/cpu/kernels.h"
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

// More blocks than are unpacked at a time, and more rows than have their sums at hand then.
TEST_P(EveryIsa, MultipliesManyRowsOfMoreBlocksThanAreUnpackedTogether) {
  std::mt19937 random(9);
  constexpr int kLongInputs = 768;
  const TestMatrix matrix = random_matrix(GetParam(), kLongInputs, random);
  constexpr int kRows = 70;
  const TestRows x = random_rows(kRows, kLongInputs, 0.0123f, random);
  const std::vector<float> one_by_one = product_one_by_one(matrix.packed, x, kRows);
  for (const Isa isa : available_isas()) {
    for (const int rows : {16, 33, 64, kRows}) {
      const auto out = product(kernels_for(isa), matrix.packed, x, 0, rows);
      EXPECT_EQ(out, std::vector<float>(one_by_one.begin(), one_by_one.begin() + rows * kOutputs))
          << kernels_for(isa).name << ", " << rows << " rows";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(QuantisedTypes, EveryIsa,
                         testing::Values(model::WeightType::kQ4_0, model::WeightType::kQ4_1,
                                         model::WeightType::kQ5_0, model::WeightType::kQ5_1,
                                         model::WeightType::kQ8_0, model::WeightType::kQ4_K,
                                         model::WeightType::kQ5_K, model::WeightType::kQ6_K,
                                         model::WeightType::kQ2_K, model::WeightType::kQ3_K,
                                         model::WeightType::kIQ4_NL, model::WeightType::kIQ4_XS,
                                         model::WeightType::kMXFP4));

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

}  // namespace
}  // namespace outrider::engine::cpu
