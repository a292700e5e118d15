#include "runtime/sampling/noise_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "runtime/sampling/token_choice.h"

namespace outrider::sampling {
namespace {

constexpr int kBoundedTokens = 1000;  // not a multiple of a block
constexpr std::uint64_t kNoiseSeed = 7;

/// By definition.
std::vector<std::uint8_t> zeros_at(std::int64_t position) {
  const GumbelNoise noise(kNoiseSeed, position);
  std::vector<std::uint8_t> zeros;
  for (Token first = 0; first < kBoundedTokens; first += GumbelNoise::kBlock) {
    std::uint32_t smallest = ~0u;
    for (Token token = first; token < first + GumbelNoise::kBlock; ++token)
      smallest = std::min(smallest, noise.upper_half(token));
    zeros.push_back(static_cast<std::uint8_t>(std::countl_zero(smallest)));
  }
  return zeros;
}

TEST(NoiseBounds, AreThoseOfThePosition) {
  NoiseBounds bounds(kNoiseSeed, kBoundedTokens);
  // Also of positions that share their place with others, and again after them.
  for (const std::int64_t position : {0, 1, 32, 0, 64, 33, 1, 1, 100'000, 0}) {
    const auto found = bounds.at(position, kBoundedTokens);
    EXPECT_EQ(std::vector<std::uint8_t>(found.begin(), found.end()), zeros_at(position))
        << position;
  }
}

TEST(NoiseBounds, AreNotKeptForFewTokensOrWithoutNoise) {
  NoiseBounds bounds(kNoiseSeed, kBoundedTokens);
  EXPECT_TRUE(bounds.at(3, 62).empty());
  EXPECT_FALSE(bounds.at(3, 63).empty());
  EXPECT_TRUE(NoiseBounds(kNoiseSeed, 0).at(3, kBoundedTokens).empty());
}

TEST(NoiseBounds, ChangeNoChoice) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal(0, 3);
  std::vector<Token> some;
  for (Token token = 0; token < kBoundedTokens; ++token)
    if (random() % 4 == 0) some.push_back(token);
  TokenChoice whole(kBoundedTokens), part(some);
  const TokenCounts counts({});
  NoiseBounds bounds(kNoiseSeed, kBoundedTokens);
  for (const double temperature : {0.7, 1.0, 3.0}) {
    for (const double penalty : {1.0, 1.2}) {
      const SamplerOptions options = {.temperature = temperature, .repetition_penalty = penalty};
      const SequenceSampling without = {options, kNoiseSeed, counts};
      const SequenceSampling with = {options, kNoiseSeed, counts, &bounds};
      for (int round = 0; round < 200; ++round) {
        const std::int64_t position = round / 2;
        std::vector<float> logits(kBoundedTokens);
        for (float& logit : logits) logit = normal(random);
        for (TokenChoice* choice : {&whole, &part}) {
          const auto row = std::span(logits).first(choice == &whole ? kBoundedTokens : some.size());
          EXPECT_EQ(choice->choose(with, row, position), choice->choose(without, row, position));
          std::vector<RankedToken> found, expected;
          choice->rank_unnormalised(with, row, position, 5, found, 4);
          choice->rank_unnormalised(without, row, position, 5, expected, 4);
          ASSERT_EQ(found.size(), expected.size());
          for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].token, expected[i].token);
            EXPECT_EQ(found[i].value, expected[i].value);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace outrider::sampling
