#include "calibrate/cost/cost_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/tiny_engine.h"

namespace outrider::calibrate {
namespace {

using cost::Shape;

/// A machine on which a pass of one row takes so long and further rows a tenth of that.
RoughCosts machine(double one_row) {
  std::vector<cost::TimedPass> passes;
  for (const Shape shape : {Shape::kChain, Shape::kTree})
    for (const int rows : {1, 11})
      passes.push_back({{shape, rows, 0}, one_row * (0.9 + 0.1 * rows)});
  return {cost::CostModel(passes), 2, one_row / 10};
}

CostGrid wanted(std::vector<int> threads) {
  CostGrid grid;
  grid.threads = std::move(threads);
  return grid;
}

TEST(CostPlan, HasAsManyRoundsAsThereIsTimeFor) {
  const RoughCosts small = machine(0.001), large = machine(0.025);
  const CostGrid often = fitted(wanted({1, 2}), {}, small, 48);
  EXPECT_EQ(often.rounds, 9);
  EXPECT_TRUE(often.held_out);
  const CostGrid seldom = fitted(wanted({2}), {}, large, 48);
  EXPECT_GE(seldom.rounds, 3);
  EXPECT_LE(seldom.rounds, 9);
  EXPECT_LE(predicted_seconds(seldom, large), 48);
  EXPECT_EQ(seldom.rows, CostGrid().rows);
  EXPECT_EQ(seldom.contexts, CostGrid().contexts);
}

TEST(CostPlan, OfALargeModelHasFewerPasses) {
  const RoughCosts huge = machine(0.6);
  const CostGrid few = fitted(wanted({1, 2}), {}, huge, 48);
  EXPECT_FALSE(few.held_out);
  EXPECT_EQ(few.threads, std::vector<int>{2});
  EXPECT_EQ(few.rows, (std::vector<int>{1, 3, 6, 12, 24, 48}));
  EXPECT_EQ(few.contexts, std::vector<int>{100});
  EXPECT_GE(few.rounds, 1);
  EXPECT_LT(predicted_seconds(few, huge), predicted_seconds(wanted({1, 2}), huge) / 5);
}

TEST(CostPlan, LeavesListsThatWereAskedFor) {
  const CostGrid fixed =
      fitted(wanted({1, 2}), {.threads = true, .rows = true, .contexts = true}, machine(0.6), 1);
  EXPECT_EQ(fixed.rounds, 1);
  EXPECT_EQ(fixed.threads, (std::vector<int>{1, 2}));
  EXPECT_EQ(fixed.rows, CostGrid().rows);
  EXPECT_EQ(fixed.contexts, CostGrid().contexts);
}

TEST(CostPlan, OneThreadTakesAsLongAsAllOfThemTogether) {
  const RoughCosts costs = machine(0.02);
  EXPECT_DOUBLE_EQ(costs.seconds({Shape::kChain, 1, 0}, 1), 0.04);
  EXPECT_DOUBLE_EQ(costs.seconds({Shape::kChain, 1, 0}, 2), 0.02);
  EXPECT_DOUBLE_EQ(costs.seconds({Shape::kChain, 1, 0}, 4), 0.02);
}

TEST(CostPlan, IsMadeFromPassesOfTheModel) {
  test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  const RoughCosts costs = time_roughly(target.engine);
  EXPECT_EQ(costs.workers, target.engine.workers());
  EXPECT_GT(costs.prefill_row, 0);
  EXPECT_LT(costs.prefill_row, costs.passes.seconds({Shape::kChain, 48, 0}));
}

TEST(CostGrid, TimesSeveralSequencesWithTheMostThreadsOnly) {
  CostGrid grid = wanted({1, 2});
  grid.sequences = {1, 4, 128};
  const auto passes = untimed_passes(grid);
  const auto several = [](const cost::ThreadsCost& cost) {
    std::vector<cost::PassPoint> points;
    for (const cost::PassTime& pass : cost.passes)
      if (pass.point.sequences > 1 && pass.point.context == 100) points.push_back(pass.point);
    return points;
  };
  EXPECT_TRUE(several(passes[0]).empty());
  const std::vector<cost::PassPoint> expected = {
      {Shape::kChain, 4, 100, 4},    {Shape::kChain, 8, 100, 4},     {Shape::kChain, 16, 100, 4},
      {Shape::kChain, 32, 100, 4},   {Shape::kChain, 128, 100, 128}, {Shape::kChain, 256, 100, 128},
      {Shape::kChain, 512, 100, 128}};  // no pass is wider
  EXPECT_EQ(several(passes[1]), expected);
}

TEST(MeasureCost, EndsWhenItsTimeIsOverButWithEveryPoint) {
  test::TinyEngine target(model::WeightType::kQ8_0, 1, 1);
  CostGrid grid = {.threads = {1, 2},
                   .rows = {1, 4},
                   .contexts = {10, 20},
                   .sequences = {1, 2},
                   .rows_each = {1},
                   .held_out = false,
                   .rounds = 50};
  int turns = 0;
  const auto costs = measure_cost(target.engine, grid, [&](int done, int total) {
    EXPECT_EQ(total, (16 + 2) * 50);
    turns = done;
    return done < 3;
  });
  EXPECT_EQ(turns, 18);
  for (const cost::ThreadsCost& cost : costs)
    for (const cost::PassTime& pass : cost.passes) EXPECT_GT(pass.seconds.median, 0);
  EXPECT_EQ(costs[0].passes.size(), 8U);
  EXPECT_EQ(costs[1].passes.size(), 10U);
}

TEST(MeasureCost, TimesLongPassesInFewRounds) {
  EXPECT_EQ(visits_of_a_round(0.001), 3);
  EXPECT_EQ(visits_of_a_round(0.02), 1);
  EXPECT_EQ(rounds_of_a_pass(0.001, 9), 9);
  EXPECT_EQ(rounds_of_a_pass(0.02, 9), 5);
  EXPECT_EQ(rounds_of_a_pass(0.5, 10), 4);
  EXPECT_EQ(rounds_of_a_pass(0.5, 1), 1);
}

}  // namespace
}  // namespace outrider::calibrate
