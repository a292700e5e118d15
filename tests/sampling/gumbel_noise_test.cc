#include "runtime/base/gumbel_noise.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "runtime/base/philox.h"
#include "runtime/sampling/gumbel_max.h"
#include "tests/support/binomial_bound.h"

namespace outrider::sampling {
namespace {

constexpr std::uint64_t kOnes = ~std::uint64_t{0};

// The published test vectors (kat_vectors of Random123); NumPy's Philox gives the same.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x64({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                         0x7e68b68aec7ba23b}));
  EXPECT_EQ(philox4x64({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6,
                         0xa09caebf594f0ba0}));
  EXPECT_EQ(
      philox4x64({0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
                 {0x452821e638d01377, 0xbe5466cf34e90c6c}),
      (PhiloxBlock{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5,
                   0x57bd43b5e52b7fe6}));
}

TEST(GumbelNoise, DependsOnSeedPositionUseAndTokenOnly) {
  const GumbelNoise noise(1, 2);
  EXPECT_EQ(noise.value(3), GumbelNoise(1, 2).value(3));
  EXPECT_NE(noise.value(3), GumbelNoise(2, 2).value(3));
  EXPECT_NE(noise.value(3), GumbelNoise(1, 3).value(3));
  EXPECT_NE(noise.value(3), GumbelNoise(1, 2, RandomUse::kAccept).value(3));
  EXPECT_NE(noise.value(3), noise.value(4));
}

TEST(GumbelNoise, NeverTiesInAThousandPositions) {
  // Two of 3 million 64-bit numbers are equal with probability 3e-7.
  std::vector<std::uint64_t> bits;
  for (std::int64_t position = 0; position < 1000; ++position)
    for (Token token = 0; token < 3000; ++token)
      bits.push_back(GumbelNoise(5, position).bits(token));
  std::sort(bits.begin(), bits.end());
  EXPECT_EQ(std::adjacent_find(bits.begin(), bits.end()), bits.end());
}

// P(g <= x) = e^(-e^-x), at 41 points for every use, over tokens at few positions and over positions.
// Each of the 41 * 4 * 2 shares fails by chance with probability below 1e-10.
TEST(GumbelNoise, IsDistributedAsGumbel) {
  constexpr int kDraws = 100'000;
  for (const RandomUse use :
       {RandomUse::kChoice, RandomUse::kDraft, RandomUse::kAccept, RandomUse::kResidual}) {
    for (const bool over_tokens : {true, false}) {
      std::vector<double> values;
      for (int i = 0; i < kDraws; ++i)
        values.push_back(over_tokens ? GumbelNoise(11, i / 50'000, use).value(i % 50'000)
                                     : GumbelNoise(12, i, use).value(77));
      std::sort(values.begin(), values.end());
      for (int place = -8; place <= 32; ++place) {
        const double x = place / 4.0;
        const auto below = std::lower_bound(values.begin(), values.end(), x) - values.begin();
        const double p = std::exp(-std::exp(-x));
        EXPECT_NEAR(static_cast<double>(below) / kDraws, p, test::binomial_bound(p, kDraws, 1e-10))
            << "at " << x << ", use " << static_cast<int>(use) << ", over tokens " << over_tokens;
      }
    }
  }
}

TEST(GumbelNoise, EveryBitIsSetHalfOfTheTime) {
  constexpr int kDraws = 100'000;
  int set[64] = {};
  for (Token token = 0; token < kDraws; ++token) {
    const std::uint64_t bits = GumbelNoise(3, 9).bits(token);
    for (int bit = 0; bit < 64; ++bit) set[bit] += static_cast<int>(bits >> bit & 1);
  }
  for (const int count : set)
    EXPECT_NEAR(count / 1e5, 0.5, test::binomial_bound(0.5, kDraws, 1e-10));
}

TEST(GumbelNoise, IsFiniteAtTheEnds) {
  EXPECT_NEAR(GumbelNoise::from_bits(0), 65 * std::log(2.0), 1e-12);
  EXPECT_NEAR(GumbelNoise::from_bits(kOnes), -std::log(53 * std::log(2.0)), 1e-12);
}

TEST(GumbelNoise, StaysBelowItsBound) {
  std::mt19937_64 random(1);
  for (int zeros = 0; zeros <= 64; ++zeros) {
    for (int i = 0; i < 1000; ++i) {
      // The smallest bits with so many leading zeros, where g is closest to the bound, and random ones.
      const std::uint64_t top = zeros == 64 ? 0 : std::uint64_t{1} << (63 - zeros);
      const std::uint64_t bits =
          top | (i == 0 || zeros == 64 ? 0 : random() % std::max<std::uint64_t>(top, 1));
      const double g = GumbelNoise::from_bits(bits);
      ASSERT_LE(g, GumbelNoise::bound(static_cast<std::uint32_t>(bits >> 32))) << std::hex << bits;
      ASSERT_LE(g, GumbelNoise::kMost);
    }
  }
}

TEST(GumbelNoise, GivesItsUpperHalvesInBlocks) {
  const GumbelNoise noise(21, 22);
  for (Token token = 0; token < 100; ++token) {
    const auto block = noise.upper_halves(token / GumbelNoise::kBlock);
    EXPECT_EQ(block.of[token % GumbelNoise::kBlock], noise.bits(token) >> 32);
    EXPECT_EQ(noise.upper_half(token), noise.bits(token) >> 32);
  }
}

TEST(GumbelNoise, HasTheSameBitsEverywhere) {
  // A text decoded with a seed must be the same for all versions and CPUs. The hash is of this code's
  // values, by g++ 12 and clang 14; the tests above check the values themselves.
  std::vector<double> values;
  for (std::int64_t position = 0; position < 100; ++position)
    for (Token token = 0; token < 100; ++token)
      values.push_back(GumbelNoise(42, position).value(token));
  EXPECT_EQ(XXH3_64bits(values.data(), values.size() * sizeof(double)), 0x1e81c21e8fdee177u);
}

TEST(GumbelMax, GivesTiesToTheLowestId) {
  // Scores so large compared with the noise that only they decide.
  const std::vector<Candidate> candidates = {{9, 1e300}, {4, 1e300}, {6, 1e300}, {2, 0}};
  EXPECT_EQ(gumbel_max(candidates, GumbelNoise(1, 1)), 4);
}

}  // namespace
}  // namespace outrider::sampling
