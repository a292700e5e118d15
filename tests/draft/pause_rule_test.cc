#include "runtime/draft/pause_rule.h"

#include <gtest/gtest.h>

namespace outrider::draft {
namespace {

/// Decodes so many tokens, each round drafting one token at a price except in pauses.
struct Account {
  double lost = 0;  // passes
  int rounds = 0;   // with a draft
  int tokens = 0;

  void decode(PauseRule& rule, int until, double price, int accepted) {
    while (tokens < until) {
      const bool drafts = !rule.is_paused(tokens);
      tokens += 1 + (drafts ? accepted : 0);
      if (!drafts) continue;
      ++rounds;
      lost += price - accepted;
      rule.add(price, accepted, tokens);
    }
  }
};

TEST(PauseRuleTest, DraftsThatAreNeverAcceptedCostAFewPercent) {
  for (const double price : {0.05, 0.2, 0.45}) {
    PauseRule rule;
    Account text;
    text.decode(rule, 128, price, 0);
    EXPECT_LT(text.lost, 0.04 * 128) << price;
    text.decode(rule, 1024, price, 0);
    EXPECT_LT(text.lost, 0.02 * 1024) << price;
    EXPECT_GT(text.lost, 2) << "tried again";
  }
}

TEST(PauseRuleTest, DraftsThatPayAreNeverStopped) {
  PauseRule rule;
  Account text;
  text.decode(rule, 1000, 0.3, 1);
  EXPECT_EQ(text.rounds, 500);
}

TEST(PauseRuleTest, LossesAfterLongGainsAreStoppedAsSoonAsAtTheStart) {
  PauseRule rule;
  Account text;
  text.decode(rule, 1000, 0.3, 1);
  const int paid = text.rounds;
  text.decode(rule, text.tokens + 20, 0.25, 0);
  EXPECT_EQ(text.rounds - paid, 8);  // two passes at 0.25 a round
}

TEST(PauseRuleTest, DraftsComeBackWhenTheyPayAgain) {
  PauseRule rule;
  Account text;
  text.decode(rule, 600, 0.2, 0);
  const int before = text.rounds;
  text.decode(rule, 600 + 200, 0.2, 1);
  // At most the longest pause is left, and what is drafted after it is not stopped.
  EXPECT_GE(text.rounds - before, (200 - PauseRule::kLongestPause) / 2);
  // A few failures do not stop drafts that have paid.
  const int paid = text.rounds;
  text.decode(rule, text.tokens + 8, 0.2, 0);
  EXPECT_EQ(text.rounds - paid, 8);
}

TEST(PauseRuleTest, PausesGetLongerUntilDraftsHavePaid) {
  PauseRule rule;
  rule.add(PauseRule::kFull, 0, 10);
  EXPECT_TRUE(rule.is_paused(25));
  EXPECT_FALSE(rule.is_paused(26));
  rule.add(PauseRule::kAfterPause, 0, 30);
  EXPECT_TRUE(rule.is_paused(61));
  EXPECT_FALSE(rule.is_paused(62));
  rule.add(0, 2, 70);
  rule.add(PauseRule::kFull, 0, 80);
  EXPECT_FALSE(rule.is_paused(96)) << "the shortest again";
  rule.start();
  EXPECT_FALSE(rule.is_paused(0));
}

}  // namespace
}  // namespace outrider::draft
