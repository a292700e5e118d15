#include "runtime/model/yarn.h"

#include <gtest/gtest.h>

#include <vector>

namespace outrider::model {
namespace {

// A head of 8 numbers and base 10,000 has the frequencies 1, 0.1, 0.01 and 0.001: of a context of 6,284 tokens they
// make 1,000, 100, 10 and 1 turns.
constexpr double kBase = 10000;
constexpr double kContext = 6283.3;

TEST(Yarn, KeepsFastFrequenciesAndDividesSlowOnes) {
  const Yarn yarn{.factor = 4, .original_context = kContext, .beta_fast = 100, .beta_slow = 10};
  // 100 turns are those of index 1 and 10 those of index 2, whole numbers by a hair: the ramp goes from 1 to 3.
  const std::vector<float> divisors = yarn_divisors(yarn, kBase, 8);
  ASSERT_EQ(divisors.size(), 4u);
  EXPECT_EQ(divisors[0], 1);
  EXPECT_EQ(divisors[1], 1);
  EXPECT_FLOAT_EQ(divisors[2], 1 / (0.5f / 4 + 0.5f));
  EXPECT_EQ(divisors[3], 4);
}

TEST(Yarn, MayHaveARampBetweenIndices) {
  const Yarn yarn{.factor = 4,
                  .original_context = kContext,
                  .beta_fast = 100,
                  .beta_slow = 10,
                  .truncate = false};
  const std::vector<float> divisors = yarn_divisors(yarn, kBase, 8);
  EXPECT_NEAR(divisors[1], 1, 1e-4);
  EXPECT_NEAR(divisors[2], 4, 1e-2);
}

TEST(Yarn, ExtendsTheContextAndSharpensAttention) {
  EXPECT_EQ(yarn_context({.factor = 4, .original_context = 32768}), 131072);
  EXPECT_EQ(yarn_context({.factor = 1e6, .original_context = 1 << 20}), 1 << 28);  // the most
  EXPECT_EQ(yarn_scale(1), 1);
  EXPECT_NEAR(yarn_scale(4), 1.13863, 1e-5);
}

}  // namespace
}  // namespace outrider::model
