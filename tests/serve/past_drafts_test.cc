#include "runtime/serve/past_drafts.h"

#include <gtest/gtest.h>

namespace outrider::serve {
namespace {

decode::DecodeStats text(int drafted, int accepted, const decode::AskedDrafts& asked) {
  decode::DecodeStats stats;
  stats.drafted = drafted;
  stats.accepted = accepted;
  stats.asked = asked;
  return stats;
}

TEST(PastDrafts, NothingKnownIsHalfOfThemAcceptedInEveryRound) {
  const PastDrafts none;
  EXPECT_EQ(none.acceptance({}), 0.5);
  EXPECT_EQ(none.with_draft({}), 1);
  EXPECT_EQ(none.seconds({}), 0);
}

TEST(PastDrafts, ANewTextIsLikeTheOthersAndThenLikeItself) {
  PastDrafts past;
  past.add(text(1000, 100, {.rounds = 100, .with_draft = 50}));
  EXPECT_NEAR(past.acceptance({}), 0.1, 0.01);
  EXPECT_NEAR(past.with_draft({}), 0.5, 0.02);
  EXPECT_NEAR(past.acceptance(text(1000, 900, {})), 0.9, 0.01);
  EXPECT_NEAR(past.with_draft(text(0, 0, {.rounds = 1000, .with_draft = 1000})), 1, 0.01);
}

TEST(PastDrafts, TheLatestTextsCountMost) {
  PastDrafts past;
  for (int i = 0; i < 50; ++i) past.add(text(100, 0, {.rounds = 10, .with_draft = 10}));
  for (int i = 0; i < 50; ++i) past.add(text(100, 100, {.rounds = 10, .with_draft = 10}));
  EXPECT_GT(past.acceptance({}), 0.95);
}

TEST(PastDrafts, TheFirstRoundsTimeIsDividedAmongTheNext) {
  PastDrafts past;
  past.add(text(40, 20, {.rounds = 11, .with_draft = 11, .first_seconds = 1.7, .seconds = 1}));
  EXPECT_NEAR(past.seconds({}), 0.1 + 1.6 / 16, 1e-12);
  EXPECT_NEAR(past.seconds(text(4, 2, {.rounds = 1, .with_draft = 1})), 0.1, 1e-12);
  const decode::AskedDrafts asked = {
      .rounds = 5, .with_draft = 5, .first_seconds = 9, .seconds = 2};
  EXPECT_NEAR(past.seconds(text(4, 2, asked)), 0.5, 1e-12);
}

}  // namespace
}  // namespace outrider::serve
