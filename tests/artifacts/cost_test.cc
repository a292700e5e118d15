#include <gtest/gtest.h>

#include <limits>
#include <string_view>

#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using cost::Shape;

/// With one and two threads, by two shapes; one point is held out.
cost::MachineCost some_cost() {
  cost::MachineCost made;
  made.machine = "some machine";
  made.numerics = "int8";
  made.isa = "scalar";
  made.runs = 2;
  for (const int threads : {1, 2}) {
    cost::ThreadsCost& cost = made.passes.emplace_back();
    cost.threads = threads;
    for (const Shape shape : {Shape::kChain, Shape::kTree})
      for (const int rows : {1, 8})
        cost.passes.push_back({{shape, rows, 100}, false, {1.0 * rows, 0.5 * rows, 2.0 * rows}});
    cost.passes.push_back({{Shape::kChain, 16, 100, 4}, false, {20, 18, 22}});
    cost.passes.push_back({{Shape::kChain, 4, 100}, true, {4, 3, 5}});
  }
  made.drafters = {{25, 500},
                   {{"pld", {2, 3}, {1, 2}, {4, 5}}, {"bigram", {6, 7}, {6, 6}, {8, 9}}}};
  return made;
}

hdf5::Reader written(const cost::MachineCost& made) {
  hdf5::Writer file;
  write_cost(made, file, "/g");
  return {file.finish(), "costs.h5"};
}

TEST(MachineCost, ComesBackAsItWasWritten) {
  const cost::MachineCost made = some_cost(), read = read_cost(written(made), "/g");
  EXPECT_EQ(read.machine, "some machine");
  EXPECT_EQ(read.numerics, "int8");
  EXPECT_EQ(read.isa, "scalar");
  EXPECT_EQ(read.runs, 2);
  ASSERT_EQ(read.passes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.passes[i].threads, made.passes[i].threads);
    ASSERT_EQ(read.passes[i].passes.size(), made.passes[i].passes.size());
    for (std::size_t p = 0; p < made.passes[i].passes.size(); ++p) {
      const cost::PassTime& pass = read.passes[i].passes[p];
      const cost::PassTime& expected = made.passes[i].passes[p];
      EXPECT_EQ(pass.point, expected.point);
      EXPECT_EQ(pass.held_out, expected.held_out);
      EXPECT_EQ(pass.seconds.median, expected.seconds.median);
      EXPECT_EQ(pass.seconds.low, expected.seconds.low);
      EXPECT_EQ(pass.seconds.high, expected.seconds.high);
    }
  }
}

TEST(MachineCost, IsFittedAgainForTheThreadsThatWereTimed) {
  const cost::MachineCost read = read_cost(written(some_cost()), "/g");
  ASSERT_TRUE(read.model(2).has_value());
  EXPECT_DOUBLE_EQ(read.model(2)->seconds({Shape::kChain, 8, 100}), 8);
  EXPECT_DOUBLE_EQ(read.model(2)->seconds({Shape::kChain, 16, 100, 4}), 20);
  EXPECT_FALSE(read.model(3).has_value());
  cost::MachineCost of_chains = read;
  std::erase_if(of_chains.passes[0].passes,
                [](const cost::PassTime& pass) { return pass.point.shape == Shape::kTree; });
  EXPECT_FALSE(of_chains.model(1).has_value());
}

TEST(MachineCost, DraftersComeBackInAlphabeticalOrder) {
  const cost::DrafterCosts read = read_cost(written(some_cost()), "/g").drafters;
  EXPECT_EQ(read.contexts, (std::vector<std::int32_t>{25, 500}));
  ASSERT_EQ(read.drafters.size(), 2U);
  EXPECT_EQ(read.drafters[0].name, "bigram");
  EXPECT_EQ(read.drafters[1].name, "pld");
  EXPECT_EQ(read.drafters[1].seconds, (std::vector<double>{2, 3}));
  EXPECT_EQ(read.drafters[1].low, (std::vector<double>{1, 2}));
  EXPECT_EQ(read.drafters[1].high, (std::vector<double>{4, 5}));
}

TEST(MachineCost, WhatIsNoneIsRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](const auto& damage, const char* what) {
    cost::MachineCost damaged = some_cost();
    damage(damaged);
    const hdf5::Reader file = written(damaged);
    test::expect_input_error([&] { read_cost(file, "/g"); }, what);
  };
  refused([](auto& made) { made.drafters.drafters[0].seconds[0] = -1; }, "/g/drafters/pld/seconds");
  refused([&](auto& made) { made.drafters.drafters[0].high[1] = infinity; },
          "/g/drafters/pld/seconds_high");
  refused([](auto& made) { made.runs = 0; }, "/g/runs");
  refused([](auto& made) { made.passes[0].passes[0].seconds.median = 0; }, "/g/passes/seconds");
  refused([](auto& made) { made.passes[1].passes[1].point.context = -1; }, "/g/passes/seconds");
  refused([](auto& made) { made.passes[0].passes[0].point.sequences = 0; }, "/g/passes/seconds");
  refused([](auto& made) { made.passes[0].passes[0].point.sequences = 2; }, "/g/passes/seconds");
  hdf5::Writer bare;
  bare.add_number<std::int32_t>("/g/other", 1);
  const hdf5::Reader file(bare.finish(), "bare.h5");
  test::expect_input_error([&] { read_cost(file, "/g"); }, "/g/provenance/command");
}

TEST(MachineCost, OfAnEarlierVersionNamesWhatMakesItAnew) {
  for (const char* lacking : {"/g/runs", "/g/passes/sequences", "/g/drafters/context"}) {
    hdf5::Writer writer;
    write_provenance({"calibrate cost", {}, 0, {}, {}, {}}, "/g", writer);
    for (const char* dataset : {"/g/runs", "/g/passes/sequences", "/g/drafters/context"})
      if (std::string_view(dataset) != lacking) writer.add_number<std::int32_t>(dataset, 1);
    const hdf5::Reader file(writer.finish(), "costs.h5");
    test::expect_input_error([&] { read_cost(file, "/g"); }, "/g: is of an earlier version",
                             "`calibrate cost` makes it anew");
  }
}

TEST(MachineGroup, IsNamedAfterTheMachineWithoutWhatPathsAreMadeOf) {
  EXPECT_EQ(cost_group("Some(R) CPU @ 2.0GHz/x, 2 cores"), "/cost/Some-R-CPU-2.0GHz-x-2-cores");
}

}  // namespace
}  // namespace outrider::artifacts
