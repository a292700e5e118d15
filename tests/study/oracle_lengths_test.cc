#include "data/study/oracle_lengths.h"

#include <gtest/gtest.h>

#include <cmath>

namespace outrider::study {
namespace {

TEST(OracleLengths, AreCountedByLengthAndPosition) {
  OracleLengths lengths;
  lengths.add({7, 3, 13, 21, 8});  // the example of the paper's appendix A
  EXPECT_DOUBLE_EQ(lengths.mean(), 52 / 5.0);
  EXPECT_NEAR(lengths.deviation(), std::sqrt((49 + 9 + 169 + 441 + 64) / 5.0 - 10.4 * 10.4), 1e-9);
  EXPECT_EQ(lengths.counts[13], 1);
  EXPECT_EQ(lengths.sums[0], 7);
  EXPECT_EQ(lengths.sums[2], 3);
  EXPECT_EQ(lengths.sums[5], 13);
  EXPECT_EQ(lengths.sums[7], 21);
  EXPECT_EQ(lengths.sums[9], 8);
  lengths.add({4});
  lengths.add({});
  EXPECT_EQ(lengths.sums[0], 11);
  EXPECT_EQ(lengths.rounds[0], 2);
  EXPECT_EQ(lengths.of_first_text, (std::vector<int>{7, 3, 13, 21, 8}));
}

}  // namespace
}  // namespace outrider::study
