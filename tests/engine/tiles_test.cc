#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <tuple>

#include "runtime/engine/cpu/amx/product_tiles.h"
#include "runtime/engine/cpu/amx/support.h"
#include "runtime/engine/cpu/instruction_set.h"
#include "tests/engine/plain_tile_products.h"
#include "tests/engine/quantised_product.h"
#include "tests/support/expect_input_error.h"

namespace outrider::engine::cpu {
namespace {

using namespace plain;
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

Kernels kernels_of(Unit unit) {
  switch (unit) {
    case Unit::kPlainAndScalar:
      return amx::with_products("plain tiles", kScalarTileProducts, scalar::kKernels);
    case Unit::kPlainAndAvx512:
      return amx::with_products("plain tiles", kAvx512TileProducts, avx512::kKernels);
    case Unit::kProcessor:
      break;
  }
  return kernels_for(Isa::kAmx);
}

class Tiles : public testing::TestWithParam<std::tuple<WeightType, Unit>> {
 protected:
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

  Kernels kernels_ = kernels_of(std::get<Unit>(GetParam()));
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
    constexpr int kRows = amx::kFewestRows;
    const TestRows x = random_rows(kRows, inputs(blocks), 0.0123f, random);
    expect_exact(matrix, x, product_one_by_one(matrix.packed, x, kRows), kRows);
  }
}

TEST_P(Tiles, MultiplyMoreRowsThanShareTheUnpackedWeights) {
  std::mt19937 random(7);
  constexpr int kRows = amx::kMostTiles * amx::kTileRows + 19;
  const TestMatrix matrix = random_matrix(type(), inputs(9), random);
  const TestRows x = random_rows(kRows, inputs(9), 0.0123f, random);
  expect_exact(matrix, x, product_one_by_one(matrix.packed, x, kRows), kRows);
}

std::string name_of(const testing::TestParamInfo<std::tuple<WeightType, Unit>>& info) {
  const char* units[] = {"PlainAndScalar", "PlainAndAvx512", "Processor"};
  return std::string(model::type_name(std::get<WeightType>(info.param))) +
         units[static_cast<int>(std::get<Unit>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(
    QuantisedTypes, Tiles,
    testing::Combine(testing::Values(WeightType::kQ4_0, WeightType::kQ4_1, WeightType::kQ5_0,
                                     WeightType::kQ5_1, WeightType::kQ8_0, WeightType::kQ4_K,
                                     WeightType::kQ5_K, WeightType::kQ6_K, WeightType::kQ2_K,
                                     WeightType::kIQ4_XS, WeightType::kMXFP4),
                     testing::ValuesIn(available_units())),
    name_of);

TEST(TestAtStart, PassesTilesAndOtherInstructionSets) {
  for (const Unit unit : available_units())
    EXPECT_TRUE(amx::make_same_products(kernels_of(unit), scalar::kKernels));
  for (const Kernels* kernels : available_kernels())
    EXPECT_TRUE(amx::make_same_products(*kernels, scalar::kKernels)) << kernels->name;
}

const Kernels& best() {
  static const Kernels& kernels = kernels_for(Isa::kAuto);
  return kernels;
}

/// Where the product of a packing goes wrong by the last bit of one output.
struct Slip {
  const char* name;
  bool (*here)(const Product& product);
};

const std::thread::id kMain = std::this_thread::get_id();

constexpr Slip kSlips[] = {
    {"the fewest rows", [](const Product& a) { return a.rows == amx::kFewestRows; }},
    {"the lowest tiles", [](const Product& a) { return a.rows == amx::kTileRows + 1; }},
    {"the highest tile", [](const Product& a) { return a.rows == 16; }},
    {"more tiles than share unpacked weights",
     [](const Product& a) { return a.rows > amx::kTileRows * amx::kMostTiles; }},
    {"sums that are added to what is there", [](const Product& a) { return a.accumulate; }},
    {"sums that replace what is there", [](const Product& a) { return !a.accumulate; }},
    {"another thread", [](const Product&) { return std::this_thread::get_id() != kMain; }},
};

class SlipOfProduct : public testing::TestWithParam<Slip> {};

TEST_P(SlipOfProduct, IsFoundAtStart) {
  static Slip slip;
  slip = GetParam();
  Kernels wrong = best();
  wrong.products[static_cast<int>(Packing::kU8)] = [](const Product& a) {
    best().product(Packing::kU8, a);
    if (slip.here(a)) a.out[0] = std::nextafter(a.out[0], 1e9f);
  };
  EXPECT_FALSE(amx::make_same_products(wrong, best())) << slip.name;
}

INSTANTIATE_TEST_SUITE_P(, SlipOfProduct, testing::ValuesIn(kSlips));

TEST(TestAtStart, FindsOneWrongBitInEveryPacking) {
  for (int p = 0; p < kNumPackings; ++p) {
    if (is_float(static_cast<Packing>(p))) continue;
    static int packing;
    packing = p;
    Kernels wrong = best();
    wrong.products[p] = [](const Product& a) {
      best().product(static_cast<Packing>(packing), a);
      if (a.rows > 16) a.out[0] = std::nextafter(a.out[0], 1e9f);
    };
    EXPECT_FALSE(amx::make_same_products(wrong, best())) << "packing " << p;
  }
}

TEST(Amx, IsTestedOnTilesOfTheProcessor) {
  if (!available(Isa::kAmx)) GTEST_SKIP() << "it has none: only plain tiles were tested";
  EXPECT_STREQ(kernels_for(Isa::kAmx).name, "amx");
  EXPECT_STREQ(kernels_for(Isa::kAuto).name, "avx512");
}

TEST(Amx, IsRefusedByNameWhereItIsNot) {
  if (available(Isa::kAmx)) GTEST_SKIP() << "this processor has it";
  test::expect_input_error([] { (void)kernels_for(Isa::kAmx); }, "--isa amx: ");
}

}  // namespace
}  // namespace outrider::engine::cpu
