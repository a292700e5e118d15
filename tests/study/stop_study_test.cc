#include "data/study/stop_study.h"

#include <gtest/gtest.h>

#include <vector>

namespace outrider::study {
namespace {

TEST(StopCell, TakesTheSecondsThatItIsGiven) {
  decode::DecodeResult result;
  result.tokens = {1, 2, 3};
  result.stats.decode_seconds = 5;
  StopCell cell;
  cell.add(result, 4);
  result.tokens = {1};
  cell.add(result, 1);
  EXPECT_EQ(cell.tokens_of_texts, (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(cell.seconds_of_texts, (std::vector<double>{4, 1}));
  EXPECT_EQ(cell.milliseconds_per_token(), 2500);
}

}  // namespace
}  // namespace outrider::study
