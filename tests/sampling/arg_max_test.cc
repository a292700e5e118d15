#include "runtime/sampling/arg_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace outrider::sampling {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

std::vector<float> random_logits(std::size_t vocab, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 3);
  std::vector<float> logits(vocab);
  for (float& one : logits) one = normal(random);
  return logits;
}

TEST(ArgMax, IsTheFirstOfTheLargestWhereverTheyAre) {
  for (const std::size_t vocab : {1U, 31U, 32U, 33U, 1023U, 1024U, 1025U, 5000U})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<float> logits = random_logits(vocab, seed);
      std::mt19937_64 random(seed);
      for (int equals = 0; equals < 3; ++equals) logits[random() % vocab] = 50;
      const auto expected = std::max_element(logits.begin(), logits.end()) - logits.begin();
      EXPECT_EQ(arg_max(logits), expected) << vocab;
      EXPECT_EQ(arg_max(std::vector<double>(logits.begin(), logits.end())), expected) << vocab;
      EXPECT_EQ(largest_of(logits), 50);
    }
  EXPECT_EQ(largest_of({}), -kInfinite);
}

TEST(ArgMax, TokensOfProbabilityZeroAreLower) {
  std::vector<float> logits(3000, -kInfinite);
  logits[2999] = -70;
  EXPECT_EQ(arg_max(logits), 2999);
  logits[1500] = -60;
  EXPECT_EQ(arg_max(logits), 1500);
}

TEST(ArgMax, RefusesWhatIsNoDistribution) {
  const std::vector<float> logits = random_logits(3000, 1);
  for (const std::size_t place : {0U, 40U, 1023U, 1024U, 2047U, 2999U})
    for (const float one : {std::numeric_limits<float>::quiet_NaN(), kInfinite}) {
      std::vector<float> wrong = logits;
      wrong[place] = one;
      wrong[(place + 1) % 3000] = -kInfinite;
      EXPECT_THROW(arg_max(wrong), std::logic_error) << place << " " << one;
    }
  EXPECT_THROW(arg_max(std::vector<float>(40, -kInfinite)), std::logic_error);
}

}  // namespace
}  // namespace outrider::sampling
