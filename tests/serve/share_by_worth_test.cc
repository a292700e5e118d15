#include "runtime/serve/share_by_worth.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace outrider::serve {
namespace {

/// Sequences whose drafts were accepted so often, of a hundred tokens each.
class ShareByWorth : public testing::Test {
 protected:
  std::vector<int> shared(const std::vector<int>& accepted, int rows, double row_costs,
                          int most = 32, int passes = 50, double drafting = 0,
                          int with_draft = 20) {
    std::vector<decode::DecodeStats> stats(accepted.size());
    std::vector<decode::RowShare> shares;
    for (std::size_t i = 0; i < accepted.size(); ++i) {
      stats[i].drafted = 100;
      stats[i].accepted = accepted[i];
      stats[i].passes = passes;
      stats[i].asked = {.rounds = 20, .with_draft = with_draft, .seconds = 19 * drafting};
      shares.push_back({static_cast<decode::SequenceId>(i), &stats[i], most});
    }
    const PastDrafts unknown;
    const std::vector<const PastDrafts*> past(shares.size(), &unknown);
    share_by_worth(shares, past, static_cast<int>(shares.size()) + reading_, rows,
                   [&](int width) { return 1 + row_costs * (width - 1); });
    std::vector<int> nodes;
    for (const decode::RowShare& share : shares) nodes.push_back(share.nodes);
    return nodes;
  }

  int reading_ = 0;  // texts beside them
};

TEST_F(ShareByWorth, ASequenceAloneDraftsWhatItsMethodWants) {
  EXPECT_EQ(shared({0}, 100, 10), std::vector<int>{32});
  EXPECT_EQ(shared({0}, 20, 10), std::vector<int>{20});
}

TEST_F(ShareByWorth, WhereRowsCostNothingEverybodyDrafts) {
  EXPECT_EQ(shared({90, 90}, 1000, 0), (std::vector<int>{32, 32}));
}

TEST_F(ShareByWorth, WhereARowCostsAPassNobodyDoes) {
  EXPECT_EQ(shared({99, 99, 10}, 1000, 1), (std::vector<int>{0, 0, 0}));
}

TEST_F(ShareByWorth, ARowThatHardlyGivesMoreThanItCostsIsNotAdded) {
  // Half a token a row: 1.67 tokens a second of its cost beside 1.54 of the pass are too few, 2.0 beside 1.6 are enough.
  EXPECT_EQ(shared({50, 50}, 1000, 0.3), (std::vector<int>{0, 0}));
  EXPECT_EQ(shared({50, 50}, 1000, 0.25), (std::vector<int>{1, 1}));
}

TEST_F(ShareByWorth, WhoIsAcceptedMoreOftenGetsMore) {
  const std::vector<int> nodes = shared({90, 50, 0}, 1000, 0.1);
  EXPECT_GT(nodes[0], nodes[1]);
  EXPECT_GT(nodes[1], 0);
  EXPECT_EQ(nodes[2], 0);
}

TEST_F(ShareByWorth, TheMoreSequencesTheShorterTheirDrafts) {
  const int with_two = shared({80, 80}, 1000, 0.2)[0];
  const int with_sixteen = shared(std::vector<int>(16, 80), 1000, 0.2)[0];
  EXPECT_GT(with_two, with_sixteen);
}

TEST_F(ShareByWorth, KeepsToTheRowsOfThePassAndOfEachText) {
  const std::vector<int> nodes = shared({90, 90, 90}, 10, 0);
  EXPECT_EQ(std::accumulate(nodes.begin(), nodes.end(), 0), 10);
  EXPECT_EQ(shared({90, 90}, 1000, 0, 3), (std::vector<int>{3, 3}));
}

TEST_F(ShareByWorth, ATextThatNeverWasAcceptedIsTriedAgainNowAndThen) {
  EXPECT_EQ(shared({0, 0}, 1000, 0.5, 32, 30), (std::vector<int>{0, 0}));
  EXPECT_EQ(shared({0, 0}, 1000, 0.5, 32, 31), (std::vector<int>{2, 2}));
  EXPECT_EQ(shared({0, 0}, 3, 0.5, 32, 31), (std::vector<int>{2, 0})) << "there is no room";
}

TEST_F(ShareByWorth, TriesGetRarerAndDoNotEnd) {
  int tries = 0;
  for (int passes = 0; passes < 256; ++passes)
    tries += shared({0, 0}, 1000, 0.5, 32, passes)[0] > 0;
  EXPECT_EQ(tries, 1 + 4);
}

TEST_F(ShareByWorth, WhereDraftingCostsMoreThanItGivesNobodyIsAsked) {
  const auto with_drafting = [&](double drafting) {
    return shared({60, 60, 60, 60}, 1000, 0.02, 32, 50, drafting);
  };
  EXPECT_GT(with_drafting(0)[0], 0);
  EXPECT_GT(with_drafting(0.1)[0], 0);
  // Four drafts of a third of a pass each, for a token and a half each.
  EXPECT_EQ(with_drafting(0.4), (std::vector<int>{0, 0, 0, 0}));
  // With drafts in one round of ten, the time of all ten is lost.
  EXPECT_EQ(shared({60, 60, 60, 60}, 1000, 0.02, 32, 50, 0.1, 2), (std::vector<int>{0, 0, 0, 0}));
}

TEST_F(ShareByWorth, ATextDraftsLessWhereOthersWaitForItsPass) {
  const int alone = shared({90}, 1000, 0.2)[0];
  reading_ = 7;
  const int beside = shared({90}, 1000, 0.2)[0];
  EXPECT_EQ(alone, 32);
  EXPECT_GT(beside, 0);
  EXPECT_LT(beside, 8);
}

TEST_F(ShareByWorth, WhereAllTextsStillReadThereIsNothingToShare) {
  reading_ = 3;
  EXPECT_TRUE(shared({}, 1000, 0.2).empty());
}

TEST_F(ShareByWorth, WhatDraftingCostsIsPaidOnceForAWholeDraft) {
  // No single token is worth the time of drafting, eight of them are.
  const std::vector<int> nodes = shared({95, 95}, 1000, 0.01, 32, 50, 0.6);
  EXPECT_GE(nodes[0], 8);
}

}  // namespace
}  // namespace outrider::serve
