#include "runtime/cost/machine_cost.h"

#include <gtest/gtest.h>

namespace outrider::cost {
namespace {

/// A pass of one row on two threads, and the steps of these drafters.
MachineCost run_of(Spread seconds, std::vector<DrafterCosts::Drafter> drafters) {
  MachineCost cost;
  cost.machine = "some machine";
  cost.numerics = "int8";
  cost.isa = "avx2";
  cost.passes = {{2, {{{Shape::kChain, 1, 100}, false, seconds}}}};
  cost.drafters = {{100}, std::move(drafters)};
  return cost;
}

TEST(MeanOfRuns, CountsEachRunOnce) {
  const MachineCost first = run_of({1, 0.9, 1.2}, {});
  const MachineCost two = mean_of(first, run_of({3, 2.5, 3.5}, {}));
  EXPECT_EQ(two.runs, 2);
  EXPECT_DOUBLE_EQ(two.passes[0].passes[0].seconds.median, 2);
  const MachineCost three = mean_of(two, run_of({8, 0.5, 9}, {}));
  EXPECT_EQ(three.runs, 3);
  const Spread& seconds = three.passes[0].passes[0].seconds;
  EXPECT_DOUBLE_EQ(seconds.median, 4);
  EXPECT_DOUBLE_EQ(seconds.low, 0.5);
  EXPECT_DOUBLE_EQ(seconds.high, 9);
}

TEST(MeanOfRuns, HasTheDraftersOfTheLastRun) {
  MachineCost stored = run_of({1, 1, 1}, {{"gone", {1}, {1}, {1}}, {"pld", {2}, {1}, {3}}});
  stored.runs = 3;
  const MachineCost means =
      mean_of(stored, run_of({1, 1, 1}, {{"new", {7}, {6}, {8}}, {"pld", {6}, {2}, {9}}}));
  ASSERT_EQ(means.drafters.drafters.size(), 2U);
  EXPECT_EQ(means.drafters.drafters[0].name, "new");
  EXPECT_EQ(means.drafters.drafters[0].seconds, (std::vector<double>{7}));
  EXPECT_EQ(means.drafters.drafters[1].seconds, (std::vector<double>{3}));
  EXPECT_EQ(means.drafters.drafters[1].low, (std::vector<double>{1}));
  EXPECT_EQ(means.drafters.drafters[1].high, (std::vector<double>{9}));
}

TEST(MeanOfRuns, HasOtherContextsOfDraftersFromTheLastRun) {
  const MachineCost stored = run_of({1, 1, 1}, {{"pld", {2}, {1}, {3}}});
  MachineCost further = run_of({1, 1, 1}, {});
  further.drafters = {{100, 1000}, {{"pld", {6, 7}, {5, 5}, {9, 9}}}};
  const MachineCost means = mean_of(stored, further);
  EXPECT_EQ(means.drafters.contexts, (std::vector<std::int32_t>{100, 1000}));
  EXPECT_EQ(means.drafters.drafters[0].seconds, (std::vector<double>{6, 7}));
}

TEST(MeanOfRuns, IsOfTheSamePassesOnly) {
  const MachineCost one = run_of({1, 1, 1}, {});
  EXPECT_TRUE(are_of_same_passes(one, run_of({2, 2, 2}, {{"pld", {1}, {1}, {1}}})));
  const auto differs = [&one](const auto& change) {
    MachineCost other = one;
    change(other);
    return !are_of_same_passes(one, other);
  };
  EXPECT_TRUE(differs([](MachineCost& other) { other.isa = "avx512"; }));
  EXPECT_TRUE(differs([](MachineCost& other) { other.numerics = "f32"; }));
  EXPECT_FALSE(differs([](MachineCost& other) { other.drafters.contexts = {25}; }));
  EXPECT_TRUE(differs([](MachineCost& other) { other.passes[0].threads = 1; }));
  EXPECT_TRUE(differs([](MachineCost& other) { other.passes.push_back(other.passes[0]); }));
  EXPECT_TRUE(differs([](MachineCost& other) { other.passes[0].passes[0].point.rows = 2; }));
  EXPECT_TRUE(differs([](MachineCost& other) { other.passes[0].passes[0].point.context = 1; }));
  EXPECT_TRUE(differs([](MachineCost& other) { other.passes[0].passes[0].point.sequences = 2; }));
  EXPECT_TRUE(differs([](MachineCost& other) { other.passes[0].passes[0].held_out = true; }));
  EXPECT_TRUE(
      differs([](MachineCost& other) { other.passes[0].passes[0].point.shape = Shape::kTree; }));
}

}  // namespace
}  // namespace outrider::cost
