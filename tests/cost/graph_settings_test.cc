#include "runtime/cost/graph_settings.h"

#include <gtest/gtest.h>

namespace outrider::cost {
namespace {

/// A pass of a chain takes a second for the first row and 0.5 for each further one, of a tree 1.
CostModel passes() {
  std::vector<TimedPass> all;
  for (const int rows : {1, 11}) {
    all.push_back({{Shape::kChain, rows, 0}, 1 + 0.5 * (rows - 1)});
    all.push_back({{Shape::kTree, rows, 0}, static_cast<double>(rows)});
  }
  return CostModel(all);
}

GraphTrial trial(const GraphSetting& setting, double tokens_per_second, int lacking = 0) {
  GraphTrial made;
  made.setting = setting;
  made.rounds = 100;
  made.tokens = 200;
  made.lacking = lacking;
  made.tokens_per_second = tokens_per_second;
  return made;
}

TEST(PassRows, TellsSmallNumbersApartAndRoundsLargeOnesUp) {
  PassRows rows;
  for (const int number : {1, 3, 3, 64, 65, 80, 81, 5000}) rows.add(number);
  EXPECT_EQ(rows.passes(), 8);
  EXPECT_DOUBLE_EQ(rows.seconds([](int number) { return number; }),
                   1 + 3 + 3 + 64 + 80 + 80 + 96 + 2049);
  EXPECT_THROW(PassRows({1, 2}), std::logic_error);
}

TEST(TrialPrices, AreThoseOfTheTargetsPassesAndOfTheDraftModels) {
  const TrialPrices prices = {passes(), 0, {1, 2, 6}, {0.1, 0.15, 0.35}};
  EXPECT_DOUBLE_EQ(prices.draft_seconds(1), 0.1);
  EXPECT_DOUBLE_EQ(prices.draft_seconds(4), 0.25);
  EXPECT_DOUBLE_EQ(prices.draft_seconds(8), 0.45) << "beyond the last";
  GraphTrial tree = trial({2, {}, 0, 3, 8}, 0);
  tree.rounds = 2;
  tree.tokens = 5;
  for (const int rows : {3, 5}) tree.verified.add(rows);
  for (const int rows : {1, 2, 1}) tree.drafting.add(rows);
  EXPECT_DOUBLE_EQ(prices.speed(tree, tree.setting.shape()), 5 / (3 + 5 + 0.1 + 0.15 + 0.1));
  tree.setting.children = 1;
  EXPECT_DOUBLE_EQ(prices.speed(tree, tree.setting.shape()), 5 / (2 + 3 + 0.1 + 0.15 + 0.1))
      << "rows of a chain";

  GraphSettings settings = {0, 10, 0, 0, {tree}};
  settings.price(prices);
  EXPECT_DOUBLE_EQ(settings.plain_tokens_per_second, 1);
  EXPECT_DOUBLE_EQ(settings.trials[0].tokens_per_second, prices.speed(tree, tree.setting.shape()));
}

class BestOfGraphSettings : public testing::Test {
 protected:
  GraphSettings settings_ = {
      0,
      10,
      0,
      1,
      {trial({1, {0.5, 0, 0}, 0, 4, 256}, 3), trial({2, {0.2, 0, 0}, 0, 3, 8}, 2),
       trial({4, {0.2, 0, 0}, 0, 3, 8}, 1), trial({2, {0.2, 0, 0}, 1, 3, 8}, 2.5),
       trial({2, {0.2, 0, 0}, 3, 3, 8}, 2.2), trial({4, {0.1, 0, 0}, 1, 5, 64}, 9, 3)}};
};

TEST_F(BestOfGraphSettings, IsTheFastestOfTheMethodAndMayBeAChain) {
  EXPECT_EQ(settings_.best(false).setting.children, 1);
  EXPECT_EQ(settings_.best(true).setting.children, 1);
  settings_.trials[0].tokens_per_second = 0.5;
  EXPECT_EQ(settings_.best(false).setting, (GraphSetting{2, {0.2, 0, 0}, 0, 3, 8}));
  EXPECT_EQ(settings_.best(true).setting.tau, 1);
  settings_.trials.erase(settings_.trials.begin());
  EXPECT_EQ(settings_.best(true).tokens_per_second, 2.5) << "not one whose trees were cut";
  settings_.trials.back().lacking = 2;
  EXPECT_EQ(settings_.best(true).tokens_per_second, 9);
  settings_.trials = {trial({4, {0.1, 0, 0}, 1, 5, 64}, 9, 50)};
  EXPECT_EQ(settings_.best(true).tokens_per_second, 9) << "the only one";
  EXPECT_THROW(settings_.best(false), std::logic_error);
}

TEST_F(BestOfGraphSettings, HasTheNearestOfTheGivenValues) {
  EXPECT_EQ(settings_.best(false, {.children = 3}).setting.children, 2) << "the faster of two";
  EXPECT_EQ(settings_.best(false, {.children = 7}).setting.children, 4);
  EXPECT_EQ(settings_.best(true, {.children = 2, .tau = 4}).setting.tau, 3);
  EXPECT_EQ(settings_.best(true, {.tau = 4}).setting.children, 1) << "never merged";
  EXPECT_EQ(settings_.best(false, {.steps = 2}).setting.steps, 3);
  EXPECT_EQ(settings_.best(false, {.nodes = 100}).setting.nodes, 8);
  EXPECT_EQ(settings_.best(false, {.probability = 0.1}).setting.children, 2);
}

TEST_F(BestOfGraphSettings, HasAsFewThresholdsAsOneThatIsHardlySlower) {
  const auto probability = [&] { return settings_.best(false).setting.pruning.probability; };
  settings_.trials.push_back(trial({1, {0, 0, 0.2}, 0, 4, 256}, 2.98));
  EXPECT_EQ(probability(), 0.5) << "as many thresholds";
  settings_.trials[0].setting.pruning.path = 0.2;
  EXPECT_EQ(probability(), 0);
  settings_.trials.back().tokens_per_second = 2.96;
  EXPECT_EQ(probability(), 0.5) << "over 1 % slower";
  settings_.trials.back() = trial({1, {0, 0, 0.2}, 0, 4, 8}, 2.98);
  EXPECT_EQ(probability(), 0.5) << "of fewer nodes";
}

TEST(MachineGraphSettings, AreThoseOfTheNearestTemperature) {
  MachineGraphSettings all;
  all.by_temperature.resize(2);
  all.by_temperature[1].temperature = 1;
  EXPECT_EQ(all.nearest(0.4).temperature, 0);
  EXPECT_EQ(all.nearest(0.7).temperature, 1);
}

}  // namespace
}  // namespace outrider::cost
