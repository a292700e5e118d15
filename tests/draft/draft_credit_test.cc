#include "runtime/draft/draft_credit.h"

#include <gtest/gtest.h>

namespace outrider::draft {
namespace {

/// Decodes so many tokens, each round drafting one token at a price while drafts do not rest.
struct Account {
  double lost = 0;  // passes
  int rounds = 0;   // with a draft
  int tokens = 0;

  void decode(DraftCredit& credit, int until, double price, int accepted) {
    while (tokens < until) {
      const bool drafts = !credit.rests(tokens);
      tokens += 1 + (drafts ? accepted : 0);
      if (!drafts) continue;
      ++rounds;
      lost += price - accepted;
      credit.add(price, accepted, tokens);
    }
  }
};

TEST(DraftCreditTest, DraftsThatAreNeverAcceptedCostAFewPercent) {
  for (const double price : {0.05, 0.2, 0.45}) {
    DraftCredit credit;
    Account text;
    text.decode(credit, 128, price, 0);
    EXPECT_LT(text.lost, 0.04 * 128) << price;
    text.decode(credit, 1024, price, 0);
    EXPECT_LT(text.lost, 0.02 * 1024) << price;
    EXPECT_GT(text.lost, 2) << "tried again";
  }
}

TEST(DraftCreditTest, DraftsThatPayAreNeverStopped) {
  DraftCredit credit;
  Account text;
  text.decode(credit, 1000, 0.3, 1);
  EXPECT_EQ(text.rounds, 500);
}

TEST(DraftCreditTest, LossesAfterLongGainsAreStoppedAsSoonAsAtTheStart) {
  DraftCredit credit;
  Account text;
  text.decode(credit, 1000, 0.3, 1);
  const int paid = text.rounds;
  text.decode(credit, text.tokens + 20, 0.25, 0);
  EXPECT_EQ(text.rounds - paid, 8);  // two passes at 0.25 a round
}

TEST(DraftCreditTest, DraftsComeBackWhenTheyPayAgain) {
  DraftCredit credit;
  Account text;
  text.decode(credit, 600, 0.2, 0);
  const int before = text.rounds;
  text.decode(credit, 600 + 200, 0.2, 1);
  // At most the longest rest is left, and what is drafted after it is not stopped.
  EXPECT_GE(text.rounds - before, (200 - DraftCredit::kLongestRest) / 2);
  // A few failures do not stop drafts that have paid.
  const int paid = text.rounds;
  text.decode(credit, text.tokens + 8, 0.2, 0);
  EXPECT_EQ(text.rounds - paid, 8);
}

TEST(DraftCreditTest, RestsGetLongerUntilDraftsHavePaid) {
  DraftCredit credit;
  credit.add(DraftCredit::kFull, 0, 10);
  EXPECT_TRUE(credit.rests(25));
  EXPECT_FALSE(credit.rests(26));
  credit.add(DraftCredit::kAfterRest, 0, 30);
  EXPECT_TRUE(credit.rests(61));
  EXPECT_FALSE(credit.rests(62));
  credit.add(0, 2, 70);
  credit.add(DraftCredit::kFull, 0, 80);
  EXPECT_FALSE(credit.rests(96)) << "the shortest again";
  credit.start();
  EXPECT_FALSE(credit.rests(0));
}

}  // namespace
}  // namespace outrider::draft
