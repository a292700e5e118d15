#include "runtime/cost/statistics.h"

#include <gtest/gtest.h>

namespace outrider::cost {
namespace {

TEST(Spread, OfOneValueIsThatValue) {
  const Spread spread = spread_of({3});
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.low, 3);
  EXPECT_EQ(spread.high, 3);
}

TEST(Spread, TakesTheMiddleAndTheTenthsOfUnsortedValues) {
  const Spread spread = spread_of({10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5});
  EXPECT_DOUBLE_EQ(spread.median, 5);
  EXPECT_DOUBLE_EQ(spread.low, 1);
  EXPECT_DOUBLE_EQ(spread.high, 9);
}

TEST(Spread, LiesBetweenTwoValuesWhereTheirNumberIsEven) {
  EXPECT_DOUBLE_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
}

}  // namespace
}  // namespace outrider::cost
