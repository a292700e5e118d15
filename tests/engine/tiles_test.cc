#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>

#include "runtime/engine/amx/product_tiles.h"
#include "runtime/engine/amx/support.h"
#include "runtime/engine/instruction_set.h"
#include "tests/engine/plain_tile_products.h"
#include "tests/engine/quantised_product.h"
#include "tests/support/expect_input_error.h"

namespace outrider::engine {
namespace {

using namespace test;
using model::WeightType;

bool available(Isa isa) {
  const std::vector<Isa> isas = available_isas();
  return std::find(isas.begin(), isas.end(), isa) != isas.end();
}

/// What carries out the tiles' instructions, and the arithmetic between them.
enum class Unit { kPlainAndScalar, kPlainAndAvx512, kProcessor };

std::vector<Unit> available_units() {
  std::vector<Unit> units = {Unit::kPlainAndScalar};
  if (available(Isa::kAvx512)) units.push_back(Unit::kPlainAndAvx512);
  if (available(Isa::kAmx)) units.push_back(Unit::kProcessor);
  return units;
}

class Tiles : public testing::TestWithParam<std::tuple<WeightType, Unit>> {
 protected:
  void SetUp() override {
    switch (std::get<Unit>(GetParam())) {
      case Unit::kPlainAndScalar:
        kernels_ = amx::with_products("plain tiles", kScalarTileProducts, scalar::kKernels);
        return;
      case Unit::kPlainAndAvx512:
        kernels_ = amx::with_products("plain tiles", kAvx512TileProducts, avx512::kKernels);
        return;
      case Unit::kProcessor:
        kernels_ = kernels_for(Isa::kAmx);
        return;
    }
  }

  WeightType type() const { return std::get<WeightType>(GetParam()); }
  /// `blocks` of them, or as few more as the type takes.
  int inputs(int blocks) const {
    const int numbers = static_cast<int>(model::block_shape(type()).numbers);
    return (32 * blocks + numbers - 1) / numbers * numbers;
  }
  /// Compares the first `rows` rows with what the scalar kernel makes of them one by one.
  void expect_exact(const TestMatrix& matrix, const TestRows& x, const std::vector<float>& expected,
                    int rows) const {
    EXPECT_EQ(product(kernels_, matrix.packed, x, 0, rows),
              std::vector<float>(expected.begin(), expected.begin() + rows * kOutputs))
        << rows << " rows, " << x.inputs << " inputs";
  }

  Kernels kernels_ = scalar::kKernels;
};

TEST_P(Tiles, MultiplyExtremes) {
  constexpr int kRows = 40;
  const int width = inputs(3);
  for (const int byte : {0x00, 0x80, 0x7f, 0xff}) {
    const TestMatrix matrix(
        type(), width, [&] { return byte; }, [] { return 0.01f; });
    for (const std::int8_t activation : {std::int8_t{-127}, std::int8_t{127}}) {
      const TestRows x(
          width, std::vector<std::int8_t>(static_cast<std::size_t>(kRows * width), activation),
          0.02f);
      const auto expected = product_one_by_one(matrix.packed, x, kRows);
      for (const int rows : {amx::kFewestRows, 16, kRows}) expect_exact(matrix, x, expected, rows);
    }
  }
}

TEST_P(Tiles, MultiplyAnyNumberOfRows) {
  std::mt19937 random(3);
  constexpr int kRows = 40;
  const TestMatrix matrix = random_matrix(type(), inputs(11), random);
  const TestRows x = random_rows(kRows, inputs(11), 0.0123f, random);
  const auto expected = product_one_by_one(matrix.packed, x, kRows);
  for (int rows = 1; rows <= kRows; ++rows) expect_exact(matrix, x, expected, rows);
}

TEST_P(Tiles, MultiplyAnyNumberOfBlocks) {
  std::mt19937 random(5);
  const int step = inputs(1) / 32;
  for (int blocks = step; blocks <= std::max(18, 3 * step); blocks += step) {
    const TestMatrix matrix = random_matrix(type(), inputs(blocks), random);
    const TestRows x = random_rows(6, inputs(blocks), 0.0123f, random);
    expect_exact(matrix, x, product_one_by_one(matrix.packed, x, 6), 6);
  }
}

TEST_P(Tiles, MultiplyMoreRowsThanShareTheUnpackedWeights) {
  std::mt19937 random(7);
  constexpr int kRows = amx::kMostTiles * amx::kTileRows + 19;
  const TestMatrix matrix = random_matrix(type(), inputs(9), random);
  const TestRows x = random_rows(kRows, inputs(9), 0.0123f, random);
  expect_exact(matrix, x, product_one_by_one(matrix.packed, x, kRows), kRows);
}

TEST_P(Tiles, PassTheTestAtStart) {
  EXPECT_TRUE(amx::make_same_products(kernels_, scalar::kKernels));
}

std::string name_of(const testing::TestParamInfo<std::tuple<WeightType, Unit>>& info) {
  const char* units[] = {"PlainAndScalar", "PlainAndAvx512", "Processor"};
  return std::string(model::type_name(std::get<WeightType>(info.param))) +
         units[static_cast<int>(std::get<Unit>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(QuantisedTypes, Tiles,
                         testing::Combine(testing::Values(WeightType::kQ4_0, WeightType::kQ4_1,
                                                          WeightType::kQ5_0, WeightType::kQ5_1,
                                                          WeightType::kQ8_0, WeightType::kQ4_K,
                                                          WeightType::kQ5_K, WeightType::kQ6_K),
                                          testing::ValuesIn(available_units())),
                         name_of);

TEST(TestAtStart, PassesOtherInstructionSets) {
  for (const Isa isa : available_isas())
    EXPECT_TRUE(amx::make_same_products(kernels_for(isa), scalar::kKernels));
}

// A last bit in one packing, and for so many rows only as tiles take.
TEST(TestAtStart, FindsOneWrongBit) {
  for (int p = 0; p < kNumPackings; ++p) {
    if (is_float(static_cast<Packing>(p))) continue;
    static int packing;
    packing = p;
    Kernels wrong = scalar::kKernels;
    wrong.products[p] = [](const Product& a) {
      scalar::kKernels.product(static_cast<Packing>(packing), a);
      if (a.rows > 16) a.out[0] = std::nextafter(a.out[0], 1e9f);
    };
    EXPECT_FALSE(amx::make_same_products(wrong, scalar::kKernels)) << "packing " << p;
  }
}

TEST(Amx, IsTestedOnTilesOfTheProcessor) {
  if (!available(Isa::kAmx)) GTEST_SKIP() << "it has none: only plain tiles were tested";
  EXPECT_STREQ(kernels_for(Isa::kAuto).name, "amx");
}

TEST(Amx, IsRefusedByNameWhereItIsNot) {
  if (available(Isa::kAmx)) GTEST_SKIP() << "this processor has it";
  outrider::test::expect_input_error([] { (void)kernels_for(Isa::kAmx); }, "--isa amx: ");
}

}  // namespace
}  // namespace outrider::engine
