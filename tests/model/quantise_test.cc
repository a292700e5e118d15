#include "runtime/model/quantise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>

#include "tests/support/hex.h"
#include "tests/support/source_path.h"

namespace outrider::model {
namespace {

std::vector<float> back(WeightType type, const std::vector<float>& numbers) {
  const auto stored = quantise(type, numbers);
  std::vector<float> found(numbers.size());
  dequantise(type, stored.data(), std::ssize(numbers), found.data());
  return found;
}

class Quantise : public testing::TestWithParam<std::pair<WeightType, const char*>> {};

TEST_P(Quantise, GivesTheBytesOfGgufPy) {
  const auto& [type, name] = GetParam();
  std::ifstream file(test::source_path("tests/golden/quantise_" + std::string(name) + ".json"));
  const auto golden = nlohmann::json::parse(file);
  const auto bytes = test::bytes_of_hex(golden["floats"]);
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  EXPECT_EQ(quantise(type, floats), test::bytes_of_hex(golden["stored"]));
}

TEST_P(Quantise, StaysWithinHalfAStepAndTheRoundingOfHalves) {
  const auto type = GetParam().first;
  std::mt19937 random(5);
  for (const float scale : {1e-3f, 0.05f, 1.0f, 300.0f}) {
    std::normal_distribution<float> normal(0.2f * scale, scale);
    std::vector<float> numbers(32 * 50);
    for (float& x : numbers) x = normal(random);
    const auto found = back(type, numbers);
    for (std::size_t b = 0; b < numbers.size(); b += 32) {
      float low = numbers[b], high = low;
      for (std::size_t i = b; i < b + 32; ++i) {
        low = std::min(low, numbers[i]);
        high = std::max(high, numbers[i]);
      }
      const float largest = std::max(std::abs(low), std::abs(high));
      const float step = type == WeightType::kQ8_0 ? largest / 127 : (high - low) / 15;
      // A half is off by 2^-11 of itself: the scale times its quant, and the minimum.
      const float bound = 0.5f * step + (high - low + 2 * largest) * 0x1p-11f + 0x1p-24f * 128;
      for (std::size_t i = b; i < b + 32; ++i)
        ASSERT_LE(std::abs(found[i] - numbers[i]), bound) << i << " at scale " << scale;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Quantise,
                         testing::Values(std::pair{WeightType::kQ8_0, "q8_0"},
                                         std::pair{WeightType::kQ4_1, "q4_1"}),
                         [](const auto& type) { return std::string(type.param.second); });

// Numbers that are a half times whole ones, the extremes among them, come back as they are.
TEST(QuantiseExactly, WholeMultiplesOfAScale) {
  std::vector<float> q8(64, 0.0f), q4(64, -3.5f);
  for (int i = 0; i < 32; ++i) q8[static_cast<std::size_t>(i)] = 0.25f * static_cast<float>(i - 5);
  q8[31] = -127 * 0.25f;
  for (int i = 0; i < 32; ++i)
    q4[static_cast<std::size_t>(i)] = -1.5f + 0.125f * static_cast<float>(i % 16);
  EXPECT_EQ(back(WeightType::kQ8_0, q8), q8);
  EXPECT_EQ(back(WeightType::kQ4_1, q4), q4);
}

TEST(QuantiseExactly, RefusesWhatItDoesNotMake) {
  EXPECT_TRUE(can_quantise_to(WeightType::kQ8_0));
  EXPECT_FALSE(can_quantise_to(WeightType::kQ4_0));
  const std::vector<float> numbers(33);
  EXPECT_THROW(quantise(WeightType::kQ4_0, std::span(numbers).first(32)), std::logic_error);
  EXPECT_THROW(quantise(WeightType::kQ8_0, numbers), std::logic_error);
}

}  // namespace
}  // namespace outrider::model
