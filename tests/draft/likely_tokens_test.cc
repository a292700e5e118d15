// Estimated probabilities of what the target chooses at a depth.

#include "runtime/draft/parallelspec/likely_tokens.h"

#include <gtest/gtest.h>

#include <cmath>

namespace outrider::draft {
namespace {

const PairWeights kNone = {};

/// Logits of which the best has this probability, further tokens of the vocabulary included.
RankedDepth greedy_depth(double best) {
  return {std::log(best), {{4, 3.0, 3.0}, {7, 2.0, 2.0}, {1, 1.0, 1.0}}};
}

TEST(LikelyTokens, AreTheDraftersOwnDistributionAtTemperature0) {
  std::vector<LikelyToken> likely;
  rank_likely(kNone, greedy_depth(0.5), 1, 9, 0, 2, likely);
  ASSERT_EQ(likely.size(), 2u);
  EXPECT_EQ(likely[0].token, 4);
  EXPECT_NEAR(likely[0].log_probability, std::log(0.5), 1e-12);
  EXPECT_EQ(likely[1].token, 7);
  EXPECT_NEAR(likely[1].log_probability, std::log(0.5 / std::exp(1)), 1e-12);
}

TEST(LikelyTokens, AreSharedAmongTheShortListAboveTemperature0) {
  // Sums with noise, in units of the temperature: softmax(z + T g).
  std::vector<LikelyToken> likely;
  rank_likely(kNone, {-9, {{4, 2.0, -1}, {7, 1.5, -1}}}, 0, 9, 2, 5, likely);
  ASSERT_EQ(likely.size(), 2u) << "fewer than asked for";
  EXPECT_NEAR(likely[0].log_probability, std::log(1 / (1 + std::exp(-1))), 1e-12);
  EXPECT_NEAR(std::exp(likely[0].log_probability) + std::exp(likely[1].log_probability), 1, 1e-12);
}

TEST(LikelyTokens, GainByPairCounts) {
  // After 0 token 7 is seen in 8 of 10 pairs.
  const auto counts =
      std::make_shared<const PairCounts>(std::vector<std::int32_t>{10, 10, 0, 0, 10, 0, 0, 10},
                                         std::vector<PairCounts::Pair>{{0, 7, 8}});
  const PairWeights pair_weights = {counts, 1.5};
  std::vector<LikelyToken> likely;
  rank_likely(pair_weights, greedy_depth(0.6), 1, 0, 0, 3, likely);
  const auto weight = [&](Token token, double logit) {
    return std::exp(logit - 3 + 1.5 * static_cast<double>(counts->gain(0, token)));
  };
  const double rest = 1 / 0.6 - 1 - std::exp(-1) - std::exp(-2);
  const double all = weight(4, 3) + weight(7, 2) + weight(1, 1) + rest;
  EXPECT_EQ(likely[0].token, 7);
  EXPECT_NEAR(likely[0].log_probability, std::log(weight(7, 2) / all), 1e-6);
  EXPECT_NEAR(likely[1].log_probability, std::log(weight(4, 3) / all), 1e-6);
  rank_likely(pair_weights, greedy_depth(0.6), 0, 0, 0, 1, likely);
  EXPECT_EQ(likely[0].token, 4) << "the first depth follows the text";
}

TEST(LikelyTokens, OfNoTokensAreNone) {
  std::vector<LikelyToken> likely = {{1, 0}};
  rank_likely(kNone, {}, 0, 0, 1, 3, likely);
  EXPECT_TRUE(likely.empty());
}

}  // namespace
}  // namespace outrider::draft
