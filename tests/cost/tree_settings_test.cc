#include "runtime/cost/tree_settings.h"

#include <gtest/gtest.h>

#include "tests/support/some_tree_settings.h"

namespace outrider::cost {
namespace {

using draft::LevelShape;
using Widths = std::vector<int>;

/// A pass of a chain takes a second for the first row and so much for each further one, of a tree 1.
CostModel passes(double of_chain) {
  std::vector<TimedPass> all;
  for (const int rows : {1, 11}) {
    all.push_back({{Shape::kChain, rows, 0}, 1 + of_chain * (rows - 1)});
    all.push_back({{Shape::kTree, rows, 0}, static_cast<double>(rows)});
  }
  return CostModel(all);
}

class TreeSettingsTest : public testing::Test {
 protected:
  LevelShape best(const RequestedTree& requested = {}) const {
    return settings_.best(requested)->setting;
  }
  TreeSettings settings_ = test::some_tree_settings("a").by_temperature[0];
};

TEST_F(TreeSettingsTest, HaveAFastestTreeThatMayBeAChain) {
  EXPECT_EQ(best(), (LevelShape{3, {2, 1, 2}, 0.125}));
  settings_.trials[0].tokens_per_second = 700;
  EXPECT_EQ(best(), (LevelShape{3, {}, 0.25}));
}

TEST_F(TreeSettingsTest, HaveTheFastestOfWhatIsAskedFor) {
  EXPECT_EQ(best({.widths = Widths()}), (LevelShape{3, {}, 0.25}));
  EXPECT_EQ(best({.widths = Widths{3}}), (LevelShape{2, {3}, 0}));
  EXPECT_EQ(settings_.best({.widths = Widths{3, 3}}), nullptr) << "of which nothing is known";
  settings_.trials[1].setting.best_nodes = 5;
  EXPECT_EQ(best({.widths = Widths(), .best_nodes = 5}), (LevelShape{2, {}, 0, 5}));
  EXPECT_EQ(best({.widths = Widths()}), (LevelShape{3, {}, 0.25})) << "of chains";
  EXPECT_EQ(settings_.best({.widths = Widths(), .best_nodes = 4}), nullptr);
  settings_.trials[1].setting.best_nodes = 0;
  EXPECT_EQ(best({.length = 2}), (LevelShape{2, {3}, 0}));
  EXPECT_EQ(best({.length = 9}).length, 3) << "the nearest";
  EXPECT_EQ(best({.threshold = 0.9}), (LevelShape{3, {}, 0.25}));
  EXPECT_EQ(best({.widths = Widths(), .length = 2}), (LevelShape{2, {}, 0}));
}

TEST_F(TreeSettingsTest, DraftLessWhereThatIsHardlySlower) {
  const auto trial = [](const LevelShape& setting, int drafted, double speed) {
    TreeTrial made;
    made.setting = setting;
    made.rounds = 10;
    made.drafted = drafted;
    made.tokens_per_second = speed;
    return made;
  };
  settings_.trials = {trial({5, {}, 0}, 50, 1000), trial({3, {}, 0}, 30, 991),
                      trial({3, {}, 0.1}, 30, 992), trial({1, {}, 0}, 10, 989)};
  EXPECT_EQ(best(), (LevelShape{3, {}, 0.1}));
  settings_.trials.pop_back();
  settings_.trials[1].tokens_per_second = settings_.trials[2].tokens_per_second = 989;
  EXPECT_EQ(best(), (LevelShape{5, {}, 0})) << "by more than a hundredth";
}

TEST_F(TreeSettingsTest, HaveTheSpeedsOfAMachine) {
  settings_.price({passes(0.5), 0, {1, 2, 6}, {0.1, 0.15, 0.35}});
  EXPECT_DOUBLE_EQ(settings_.plain_tokens_per_second, 1);
  EXPECT_DOUBLE_EQ(settings_.trials[0].tokens_per_second, 4 / (2 * (2 + 0.25))) << "of a chain";
  EXPECT_DOUBLE_EQ(settings_.trials[3].tokens_per_second, 5 / (2 * (7 + 0.25))) << "of a tree";
  EXPECT_EQ(best(), (LevelShape{3, {}, 0.25}));
}

TEST_F(TreeSettingsTest, PayForTheChoiceOfEveryTokenButTheFirst) {
  settings_.choice_share = 0.01;
  settings_.price({passes(0.5), 0, {1, 2, 6}, {0.1, 0.15, 0.35}});
  // Passes over four rows.
  EXPECT_DOUBLE_EQ(settings_.trials[0].tokens_per_second, 4 / (2 * (2 + 0.25 + 3 * 0.01)));
  EXPECT_DOUBLE_EQ(settings_.plain_tokens_per_second, 1);
}

TEST(MachineTreeSettings, AreThoseOfTheNearestTemperature) {
  const MachineTreeSettings all = test::some_tree_settings("a");
  EXPECT_EQ(all.nearest(0.4).temperature, 0);
  EXPECT_EQ(all.nearest(0.7).temperature, 1);
}

}  // namespace
}  // namespace outrider::cost
