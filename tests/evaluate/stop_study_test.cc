#include "runtime/evaluate/stop_study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace outrider::evaluate {
namespace {

TEST(PairedRatio, IsOfPromptsNotOfSums) {
  StopCell one, other;
  one.tokens_of_texts = {2, 1, 1, 0};
  one.seconds_of_texts = {1, 3, 7, 0.1};
  other.tokens_of_texts = {1, 1, 1, 0};  // the last text has one token, which a prefill gives
  other.seconds_of_texts = {1, 2, 0, 0.2};
  const PairedMean found = paired_ratio(one, other);
  EXPECT_DOUBLE_EQ(found.mean, 1);
  EXPECT_NEAR(found.half, 1.96 * std::sqrt(0.5 / 2), 1e-12);
}

TEST(PairedRatio, LeavesOutATextThatHasOneTokenInOneOfThem) {
  StopCell one, other;
  one.tokens_of_texts = {4, 0};
  one.seconds_of_texts = {2, 0};
  other.tokens_of_texts = {2, 3};
  other.seconds_of_texts = {2, 3};
  EXPECT_DOUBLE_EQ(paired_ratio(one, other).mean, 0.5);
}

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
}  // namespace outrider::evaluate
