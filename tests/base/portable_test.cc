#include "runtime/base/portable.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>

#include "runtime/base/bfloat16.h"
#include "runtime/base/gumbel_noise.h"
#include "runtime/base/half.h"
#include "runtime/base/math.h"

// What kernels call too is computed by the compiler here, which has no libm, and by the program.

namespace outrider {
namespace {

constexpr std::array kInputs = {0x1.8p-60, 0.1, 0.5, 1.0, 2.7, 30.25, 700.0, 708.5, 1e5};

template <typename Function>
constexpr std::array<std::uint64_t, kInputs.size()> bits_of(Function function) {
  std::array<std::uint64_t, kInputs.size()> bits = {};
  for (std::size_t i = 0; i < kInputs.size(); ++i)
    bits[i] = std::bit_cast<std::uint64_t>(function(kInputs[i]));
  return bits;
}

TEST(Portable, MathsAreTheCompilersToo) {
  // What the compiler does not see as constants.
  volatile double runtime[kInputs.size()];
  for (std::size_t i = 0; i < kInputs.size(); ++i) runtime[i] = kInputs[i];
  const auto expect = [&](const auto& expected, double (*function)(double)) {
    for (std::size_t i = 0; i < kInputs.size(); ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(function(runtime[i])), expected[i]) << kInputs[i];
  };
  constexpr auto kExp = bits_of(math::exp), kLog = bits_of(math::log),
                 kLog1p = bits_of(math::log1p), kSin = bits_of(math::sin),
                 kCos = bits_of(math::cos);
  expect(kExp, math::exp);
  expect(kLog, math::log);
  expect(kLog1p, math::log1p);
  expect(kSin, math::sin);
  expect(kCos, math::cos);
}

TEST(Portable, NoiseIsTheCompilersToo) {
  constexpr auto kValues = [] {
    std::array<std::uint64_t, 20> bits = {};
    for (Token token = 0; token < 20; ++token)
      bits[static_cast<std::size_t>(token)] =
          std::bit_cast<std::uint64_t>(GumbelNoise(11, 12).value(token));
    return bits;
  }();
  constexpr GumbelNoise::UpperHalves kHalves = GumbelNoise(11, 12).upper_halves(1);
  volatile std::uint64_t seed = 11;
  const GumbelNoise noise(seed, 12);
  for (Token token = 0; token < 20; ++token)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(noise.value(token)),
              kValues[static_cast<std::size_t>(token)]);
  for (Token token = 16; token < 32; ++token)
    EXPECT_EQ(noise.upper_half(token), kHalves.of[token - 16]);
}

TEST(Portable, SmallFloatsAreTheCompilersToo) {
  constexpr float kNumber = 0.1F;
  constexpr float kHalf = half_to_float(float_to_half(kNumber));
  constexpr float kBrain = bfloat16_to_float(float_to_bfloat16(kNumber));
  EXPECT_EQ(kHalf, 0x1.998p-4F);
  EXPECT_EQ(kBrain, 0x1.9ap-4F);
  volatile float number = kNumber;
  EXPECT_EQ(half_to_float(float_to_half(number)), kHalf);
  EXPECT_EQ(bfloat16_to_float(float_to_bfloat16(number)), kBrain);
}

}  // namespace
}  // namespace outrider
