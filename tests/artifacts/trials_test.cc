#include <gtest/gtest.h>

#include <limits>

#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/trials_group.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/some_trials.h"

namespace outrider::artifacts {
namespace {

cost::Trials through_a_file(const cost::Trials& trials) {
  hdf5::Writer writer;
  write_trials(trials, writer, trials_group("gsd"));
  write_provenance({"calibrate gsd", {}, 0, {}, {}, {}}, trials_group("gsd"), writer);
  return read_trials(hdf5::Reader(writer.finish(), "s.h5"), "/trials/gsd");
}

void expect_same(const cost::Trials& found, const cost::Trials& expected) {
  EXPECT_EQ(found.drafter, expected.drafter);
  EXPECT_EQ(found.context, expected.context);
  EXPECT_EQ(found.names, expected.names);
  ASSERT_EQ(found.by_temperature.size(), expected.by_temperature.size());
  for (std::size_t i = 0; i < found.by_temperature.size(); ++i) {
    const auto &one = found.by_temperature[i], &other = expected.by_temperature[i];
    EXPECT_EQ(one.temperature, other.temperature);
    EXPECT_EQ(one.positions, other.positions);
    ASSERT_EQ(one.trials.size(), other.trials.size());
    for (std::size_t n = 0; n < one.trials.size(); ++n) {
      const cost::Trial &a = one.trials[n], &b = other.trials[n];
      EXPECT_EQ(a.settings, b.settings);
      EXPECT_EQ(a.shape, b.shape);
      EXPECT_EQ(std::tuple(a.rounds, a.tokens, a.drafted, a.lacking),
                std::tuple(b.rounds, b.tokens, b.drafted, b.lacking));
      EXPECT_EQ(a.other, b.other);
      EXPECT_EQ(a.verified, b.verified);
      EXPECT_EQ(a.drafting, b.drafting);
    }
  }
}

TEST(TrialsGroup, GivesBackWhatWasWritten) {
  cost::Trials graphs = test::some_graph_trials("0a1b", true);
  graphs.by_temperature[0].trials[1].lacking = 1;
  expect_same(through_a_file(graphs), graphs);
  const cost::Trials trees = test::some_tree_trials("0a1b");
  expect_same(through_a_file(trees), trees);
  EXPECT_EQ(
      std::get<std::string>(through_a_file(trees).by_temperature[1].trials[2].settings.at("tree")),
      "2,1,2");
}

TEST(TrialsGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& why, auto change) {
    cost::Trials trials = test::some_tree_trials("0a1b");
    change(trials);
    test::expect_input_error([&] { through_a_file(trials); }, "s.h5", why);
  };
  using Trials = cost::Trials;
  const auto first = [](Trials& t) -> cost::Trial& { return t.by_temperature[0].trials[0]; };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused("/context: expected 0 or more", [](Trials& t) { t.context = -1; });
  refused("/names: expected names of settings", [](Trials& t) { t.names[0] = "TREE"; });
  refused("/temperatures: expected one", [](Trials& t) { t.by_temperature.clear(); });
  refused("/temperature: expected", [&](Trials& t) { t.by_temperature[0].temperature = nan; });
  refused("/temperature: expected temperatures in ascending order",
          [](Trials& t) { t.by_temperature[1].temperature = 0; });
  refused("/positions: expected 0 to", [](Trials& t) { t.by_temperature[0].positions = -1; });
  refused("/rounds: expected 1 to 100000 trials, found 0",
          [](Trials& t) { t.by_temperature[0].trials.clear(); });
  refused("/rounds: expected 1 to", [&](Trials& t) { first(t).rounds = 0; });
  refused("/tokens: expected 0", [&](Trials& t) { first(t).tokens = -1; });
  refused("/drafted: expected 0", [&](Trials& t) { first(t).drafted = -1; });
  refused("/lacking: expected 0", [&](Trials& t) { first(t).lacking = -1; });
  refused("/counts/some: expected 0", [&](Trials& t) { first(t).other["some"] = -1; });
  refused("/settings/draft-length: expected numbers, found an infinite one", [&](Trials& t) {
    first(t).settings["draft-length"] = std::numeric_limits<double>::infinity();
  });
  refused("/settings/tree: expected 4 lines, found 5",
          [&](Trials& t) { first(t).settings["tree"] = "cha\nin"; });
  refused("/verified: expected 0 or more", [&](Trials& t) { first(t).verified.add(3, -3); });
  refused("/pass_rows: expected 1 to 4096, ascending",
          [&](Trials& t) { first(t).verified.add(5000); });
}

cost::DraftingCost through_a_file(const cost::DraftingCost& measured) {
  hdf5::Writer writer;
  write_drafting_cost(measured, writer, drafting_cost_group("a machine", "gsd"));
  return read_drafting_cost(hdf5::Reader(writer.finish(), "s.h5"), "/cost/a-machine/drafting/gsd");
}

TEST(DraftingCostGroup, GivesBackWhatWasWritten) {
  cost::DraftingCost expected = test::some_drafting_cost("0a1b");
  for (const bool with_passes : {false, true}) {
    if (with_passes) {
      expected.passes = test::some_passes(0.5, 1);
      // A method whose drafts take none.
      expected.rows.clear();
      expected.shares.clear();
      expected.draft_threads = 0;
      expected.drafter.clear();
    }
    const cost::DraftingCost found = through_a_file(expected);
    EXPECT_EQ(
        std::tie(found.drafter, found.numerics, found.isa, found.threads, found.draft_threads,
                 found.rows, found.shares, found.choice_share),
        std::tie(expected.drafter, expected.numerics, expected.isa, expected.threads,
                 expected.draft_threads, expected.rows, expected.shares, expected.choice_share));
    ASSERT_EQ(found.passes.size(), expected.passes.size());
    for (std::size_t i = 0; i < found.passes.size(); ++i) {
      EXPECT_EQ(found.passes[i].point, expected.passes[i].point);
      EXPECT_EQ(found.passes[i].seconds, expected.passes[i].seconds);
    }
  }
}

TEST(DraftingCostGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& why, auto change) {
    cost::DraftingCost measured = test::some_drafting_cost("0a1b");
    measured.passes = test::some_passes(0.5, 1);
    change(measured);
    test::expect_input_error([&] { through_a_file(measured); }, "s.h5", why);
  };
  using Cost = cost::DraftingCost;
  refused("/threads: expected 1 or more", [](Cost& c) { c.threads = 0; });
  refused("/draft_threads: expected 1 or more", [](Cost& c) { c.draft_threads = 0; });
  refused("/rows: expected numbers of rows from 1 on", [](Cost& c) { c.rows[0] = 2; });
  refused("/rows: expected numbers of rows from 1 on", [](Cost& c) { c.rows[2] = 2; });
  refused("/shares: expected a share above 0 of a pass over one row, found 0",
          [](Cost& c) { c.shares[0] = 0; });
  refused("/shares", [](Cost& c) { c.shares[1] = -1; });
  refused("/shares", [](Cost& c) { c.shares.pop_back(); });
  refused("/choice_share: expected 0 to", [](Cost& c) { c.choice_share = -1; });
  refused("/passes/seconds: expected passes over one row or more, found one",
          [](Cost& c) { c.passes[0].seconds = 0; });
  refused("/passes/seconds: expected passes over one row or more, found one",
          [](Cost& c) { c.passes[0].point.rows = 0; });
  refused("/passes/is_tree: expected passes of chains and of trees",
          [](Cost& c) { c.passes.resize(1); });
}

}  // namespace
}  // namespace outrider::artifacts
