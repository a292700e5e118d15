#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/model/weight.h"
#include "tests/support/hex.h"
#include "tests/support/source_path.h"

namespace outrider::model {
namespace {

WeightType type_of_name(const std::string& name) {
  for (const WeightType type :
       {WeightType::kF32, WeightType::kF16, WeightType::kBF16, WeightType::kQ4_0, WeightType::kQ4_1,
        WeightType::kQ5_0, WeightType::kQ5_1, WeightType::kQ8_0, WeightType::kQ4_K,
        WeightType::kQ5_K, WeightType::kQ6_K, WeightType::kQ2_K, WeightType::kQ3_K,
        WeightType::kIQ4_NL, WeightType::kIQ4_XS, WeightType::kMXFP4}) {
    if (type_name(type) == name) return type;
  }
  throw std::out_of_range(name);
}

TEST(Dequantise, GivesTheBitsOfGgufPyForEveryType) {
  std::ifstream file(test::source_path("tests/golden/dequantise.json"));
  const auto golden = nlohmann::json::parse(file);
  EXPECT_EQ(golden["types"].size(), 16u);
  for (const auto& test_case : golden["types"]) {
    const WeightType type = type_of_name(test_case["type"]);
    const auto stored = test::bytes_of_hex(test_case["stored"]);
    const std::string words = test_case["floats"];
    const BlockShape block = block_shape(type);
    const auto count = std::ssize(stored) / block.bytes * block.numbers;
    ASSERT_EQ(std::ssize(words), count * 8) << type_name(type);

    std::vector<float> floats(static_cast<std::size_t>(count));
    dequantise(type, stored.data(), count, floats.data());
    for (std::size_t i = 0; i < floats.size(); ++i) {
      const auto expected = std::stoul(words.substr(8 * i, 8), nullptr, 16);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(floats[i]), expected)
          << type_name(type) << ", number " << i;
    }
  }
}

TEST(Weight, ReadsTheStoredRowGivenByItsOrder) {
  const std::vector<float> numbers = {0, 1, 10, 11, 20, 21};
  Weight weight;
  weight.rows = 3;
  weight.columns = 2;
  weight.bytes = std::as_bytes(std::span(numbers));
  float row[2];
  weight.read_row(1, row);
  EXPECT_EQ(row[0], 10);
  weight.row_order = {2, 0, 1};
  weight.read_row(1, row);
  EXPECT_EQ(row[0], 0);
  EXPECT_EQ(row[1], 1);
  weight.read_row(0, row);
  EXPECT_EQ(row[0], 20);
}

}  // namespace
}  // namespace outrider::model
