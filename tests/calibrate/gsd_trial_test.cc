#include "calibrate/gsd/gsd_trial.h"

#include <gtest/gtest.h>

namespace outrider::calibrate {
namespace {

// Ten rounds that made 30 tokens: 20 of them were drafted, 5 of these as second children and later, and three rounds
// accepted some through a merged node.
TEST(GsdTrial, HasTheSharesOfThePaper) {
  GsdTrial trial;
  trial.rounds = 10;
  trial.tokens = 30;
  trial.rounds_with_copies = 3;
  trial.later_children = 5;
  EXPECT_DOUBLE_EQ(trial.trial().acceptance(), 2 / 3.0);
  EXPECT_DOUBLE_EQ(graph_success(trial.trial()), 0.3);
  EXPECT_DOUBLE_EQ(share_of_later_children(trial.trial()), 0.25);
  trial.tokens = 10;
  EXPECT_EQ(trial.trial().acceptance(), 0);
  EXPECT_EQ(share_of_later_children(trial.trial()), 0) << "nothing was accepted";
}

TEST(GsdTrial, IsKeptByTheNamesOfFlags) {
  GsdTrial trial;
  trial.setting = {3, {0.2, 0.3, 0.1}, 2, 5, 7};
  trial.lacking = 4;
  const cost::Trial kept = trial.trial();
  EXPECT_EQ(kept.shape, cost::Shape::kTree);
  EXPECT_EQ(kept.lacking, 4);
  EXPECT_EQ(kept.settings, (cost::SettingValues{{"children", 3.0},
                                                {"prune-probability", 0.2},
                                                {"prune-siblings", 0.3},
                                                {"min-path", 0.1},
                                                {"merge-run", 2.0},
                                                {"draft-length", 5.0},
                                                {"tree-nodes", 7.0}}));
  trial.setting = {1, {0.2, 0, 0}, 0, 5, 256};
  EXPECT_FALSE(trial.trial().settings.contains("merge-run"));
  EXPECT_EQ(trial.trial().shape, cost::Shape::kChain);
}

}  // namespace
}  // namespace outrider::calibrate
