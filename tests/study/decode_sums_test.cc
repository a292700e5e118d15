#include "data/study/decode_sums.h"

#include <gtest/gtest.h>

#include "runtime/draft/model/model_drafter.h"

namespace outrider::study {
namespace {

TEST(DecodeSums, LeaveOutTheFirstTokenOfEachText) {
  DecodeSums sums;
  EXPECT_EQ(sums.tokens_per_call(), 1);
  EXPECT_EQ(sums.tokens_per_second(), 0);
  decode::DecodeResult result;
  sums.add(result);  // a text without tokens
  EXPECT_EQ(sums.tokens, 0);
  result.tokens = {1, 2, 3, 4, 5, 6, 7};
  result.stats.passes = 3;
  result.stats.drafted = 8;
  result.stats.accepted = 3;
  result.stats.decode_seconds = 0.5;
  result.stats.draft_counts = {{draft::ModelDrafter::kPasses, 9}};
  sums.add(result);
  sums.add(DecodeSums(sums));
  EXPECT_EQ(sums.draft_passes, 18);
  EXPECT_EQ(sums.tokens, 12);
  EXPECT_EQ(sums.drafted, 16);
  EXPECT_EQ(sums.accepted, 6);
  EXPECT_DOUBLE_EQ(sums.tokens_per_call(), 2);
  EXPECT_DOUBLE_EQ(sums.tokens_per_second(), 12);
}

}  // namespace
}  // namespace outrider::study
