#include "runtime/cost/trials.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/some_trials.h"

namespace outrider::cost {
namespace {

TEST(PassRows, AreCountedByTheirNumber) {
  PassRows rows;
  for (const int number : {1, 3, 3, 64, 65, 1000}) rows.add(number);
  rows.add(7, 0);
  EXPECT_EQ(rows.passes(), 6);
  EXPECT_EQ(rows.with(3), 2);
  EXPECT_EQ(rows.with(4), 0);
  EXPECT_EQ(rows.with(1001), 0) << "beyond the most";
  EXPECT_EQ(rows.most(), 1000);
  EXPECT_DOUBLE_EQ(rows.seconds([](int number) { return number; }), 1 + 3 + 3 + 64 + 65 + 1000);
  PassRows more;
  more.add(3, 5);
  more.add(rows);
  EXPECT_EQ(more.with(3), 7);
  EXPECT_EQ(more.passes(), 11);
}

TEST(TrialPrices, AreThoseOfTheTargetsPassesAndOfTheDrafters) {
  const CostModel passes(test::some_passes(0.5, 1));
  const TrialPrices prices = {passes, 0, {1, 2, 6}, {0.1, 0.15, 0.35}};
  EXPECT_DOUBLE_EQ(prices.draft_seconds(1), 0.1);
  EXPECT_DOUBLE_EQ(prices.draft_seconds(4), 0.25);
  EXPECT_DOUBLE_EQ(prices.draft_seconds(8), 0.45) << "beyond the last";
  TrialCounts two;
  two.rounds = 2;
  two.tokens = 5;
  for (const int rows : {3, 5}) two.verified.add(rows);
  for (const int rows : {1, 2, 1}) two.drafting.add(rows);
  EXPECT_DOUBLE_EQ(prices.speed(two, Shape::kTree), 5 / (3 + 5 + 0.1 + 0.15 + 0.1));
  EXPECT_DOUBLE_EQ(prices.speed(two, Shape::kChain), 5 / (2 + 3 + 0.1 + 0.15 + 0.1));
}

TEST(TrialPrices, OfDraftsThatTakeNoPassesAreTheTargets) {
  const TrialPrices prices = TrialPrices::at(1, CostModel(test::some_passes(0.5, 1)), 0, {});
  EXPECT_EQ(prices.draft_seconds(3), 0);
  EXPECT_EQ(DraftingCost().share_of(3), 0);
  TrialCounts two;
  two.rounds = 2;
  two.tokens = 5;
  for (const int rows : {3, 5}) two.verified.add(rows);
  EXPECT_DOUBLE_EQ(prices.speed(two, Shape::kTree), 5.0 / (3 + 5));
}

TEST(TrialPrices, CountTheChoiceOfEveryTokenButTheFirstAboveTemperature0) {
  const CostModel passes(test::some_passes(0.5, 1));
  DraftingCost drafting = test::some_drafting_cost("d");
  drafting.rows = {1, 2, 6};
  drafting.shares = {0.1, 0.15, 0.35};
  drafting.choice_share = 0.01;
  EXPECT_DOUBLE_EQ(TrialPrices::at(0, passes, 0, drafting).draft_seconds(6), 0.35);
  EXPECT_DOUBLE_EQ(TrialPrices::at(0.5, passes, 0, drafting).draft_seconds(1), 0.1);
  EXPECT_DOUBLE_EQ(TrialPrices::at(0.5, passes, 0, drafting).draft_seconds(6), 0.35 + 5 * 0.01);
  EXPECT_EQ(TrialPrices::at(1, passes, 7, drafting).context, 7);
  EXPECT_EQ(drafting.share_of(1), 0.1);
  EXPECT_EQ(drafting.share_of(3), 0.35) << "of a pass over as many rows, or more";
  EXPECT_EQ(drafting.share_of(60), 0.35);
}

Trial tried(const SettingValues& settings, double speed, std::int64_t lacking = 0) {
  Trial made;
  made.settings = settings;
  made.rounds = 100;
  made.tokens = 200;
  made.lacking = lacking;
  made.tokens_per_second = speed;
  return made;
}

class BestOfTrials : public testing::Test {
 protected:
  const Trial* best(const SettingValues& given = {}, const Preference& preference = {}) const {
    return trials_.best({"form", "length", "run"}, given, preference);
  }
  double length_of(const SettingValues& given) const {
    return number_of(best(given)->settings, "length");
  }

  TemperatureTrials trials_ = {0,
                               10,
                               {tried({{"form", "chain"}, {"length", 4.0}}, 30),
                                tried({{"form", "tree"}, {"length", 3.0}, {"run", 1.0}}, 40),
                                tried({{"form", "tree"}, {"length", 8.0}, {"run", 1.0}}, 10),
                                tried({{"form", "tree"}, {"length", 8.0}, {"run", 3.0}}, 20)}};
};

TEST_F(BestOfTrials, IsTheFastestOfThoseThatHaveTheTextsAndTheNearestNumbers) {
  EXPECT_EQ(length_of({}), 3);
  EXPECT_EQ(length_of({{"form", "chain"}}), 4);
  EXPECT_EQ(length_of({{"length", 9.0}}), 8);
  EXPECT_EQ(best({{"length", 9.0}})->tokens_per_second, 20) << "the faster of both";
  EXPECT_EQ(best({{"length", 9.0}, {"run", 0.0}})->tokens_per_second, 10);
  EXPECT_EQ(best({{"form", "graph"}}), nullptr) << "of which nothing is known";
  EXPECT_EQ(length_of({{"form", "tree"}, {"length", 5.0}}), 3) << "2 away, and not 3";
  EXPECT_EQ(length_of({{"run", 9.0}}), 4) << "a trial without that setting stays, and is faster";
  trials_.trials[0].tokens_per_second = 1;
  EXPECT_EQ(best({{"run", 9.0}})->tokens_per_second, 20);
  EXPECT_EQ(best({{"width", 9.0}})->tokens_per_second, 40) << "of no trial";
}

TEST_F(BestOfTrials, CountsWhatIsGivenInTheOrderOfTheNames) {
  const SettingValues given = {{"length", 7.0}, {"run", 1.0}};
  EXPECT_EQ(trials_.best({"run", "length"}, {{"length", 3.0}, {"run", 9.0}}, {})->tokens_per_second,
            30)
      << "of run 3 and of those without, that of the length nearest to 3";
  EXPECT_EQ(trials_.best({"length", "run"}, given, {})->tokens_per_second, 10);
}

TEST_F(BestOfTrials, IsNotOneWhoseRecordEndedTooOften) {
  trials_.trials[1].lacking = 3;
  EXPECT_EQ(length_of({}), 4);
  trials_.trials[1].lacking = 2;
  EXPECT_EQ(length_of({}), 3) << "of a hundred rounds";
  for (Trial& one : trials_.trials) one.lacking = 50;
  EXPECT_EQ(length_of({}), 3) << "where there are no others";
}

TEST_F(BestOfTrials, IsWhatIsPreferredOfThosePredictedAlike) {
  const Preference short_ones = [](const Trial& one, const Trial&) {
    return number_of(one.settings, "length");
  };
  trials_.trials[2].tokens_per_second = 40.3;
  EXPECT_EQ(length_of({}), 8);
  EXPECT_EQ(number_of(best({}, short_ones)->settings, "length"), 3);
  trials_.trials[2].tokens_per_second = 40.5;
  EXPECT_EQ(number_of(best({}, short_ones)->settings, "length"), 8) << "over 1 % faster";
  trials_.trials[3].tokens_per_second = 40.45;
  EXPECT_EQ(best({}, short_ones)->tokens_per_second, 40.5) << "of the same length the faster one";
  const Preference as_fastest = [](const Trial& one, const Trial& fastest) {
    return one.settings == fastest.settings ? 1 : HUGE_VAL;
  };
  EXPECT_EQ(best({}, as_fastest)->tokens_per_second, 40.5);
}

TEST(TemperatureTrials, HaveTheSpeedsOfAMachine) {
  TemperatureTrials trials = test::some_tree_trials("d").by_temperature[0];
  trials.price({CostModel(test::some_passes(0.5, 1)), 0, {1, 2, 6}, {0.1, 0.15, 0.35}});
  EXPECT_DOUBLE_EQ(trials.plain_tokens_per_second, 1);
  EXPECT_DOUBLE_EQ(trials.trials[0].tokens_per_second, 4 / (2 * (2 + 0.25))) << "of a chain";
  EXPECT_DOUBLE_EQ(trials.trials[3].tokens_per_second, 5 / (2 * (7 + 0.25))) << "of a tree";
  EXPECT_DOUBLE_EQ(trials.speed_up(trials.trials[0]), 4 / (2 * (2 + 0.25)));
  EXPECT_EQ(trials.find(trials.trials[2].settings), &trials.trials[2]);
  EXPECT_EQ(trials.find({{"tree", "chain"}}), nullptr);
}

TEST(Trials, AreThoseOfTheNearestTemperature) {
  const Trials all = test::some_tree_trials("d");
  EXPECT_EQ(all.nearest(0.4).temperature, 0);
  EXPECT_EQ(all.nearest(0.7).temperature, 1);
}

TEST(Trials, OfTwoSetsOfTextsAddUp) {
  const Trials one = test::some_graph_trials("d", true);
  Trials other = one;
  other.context = 600;
  for (TemperatureTrials& some : other.by_temperature) some.positions = 40;
  Trial& graph = other.by_temperature[0].trials[1];
  graph.tokens = 100;
  graph.lacking = 1;
  graph.other["accepted_copies"] = 5;
  graph.verified.add(9);
  other.by_temperature[0].trials.push_back(graph);
  other.by_temperature[0].trials.back().settings["children"] = 6.0;
  other.by_temperature[1].temperature = 0.7;
  const Trials both = sum_of(one, other);
  EXPECT_EQ(both.drafter, "d");
  EXPECT_EQ(both.names, one.names);
  EXPECT_EQ(both.context, 500) << "of twice as many positions";
  ASSERT_EQ(both.by_temperature.size(), 1U) << "the other temperatures differ";
  const TemperatureTrials& sums = both.by_temperature[0];
  EXPECT_EQ(sums.positions, 60);
  ASSERT_EQ(sums.trials.size(), 2U) << "tried on both";
  EXPECT_EQ(sums.trials[1].rounds, 4);
  EXPECT_EQ(sums.trials[1].tokens, 107);
  EXPECT_EQ(sums.trials[1].drafted, 20);
  EXPECT_EQ(sums.trials[1].lacking, 1);
  EXPECT_EQ(sums.trials[1].other.at("accepted_copies"), 7);
  EXPECT_EQ(sums.trials[1].verified.passes(), 5);
  EXPECT_EQ(sums.trials[1].drafting.passes(), 8);
  other.drafter = "e";
  EXPECT_THROW(sum_of(one, other), std::logic_error);
}

}  // namespace
}  // namespace outrider::cost
