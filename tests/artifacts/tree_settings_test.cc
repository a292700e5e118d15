#include "runtime/artifacts/tree_settings.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/artifacts/expect_same_passes.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/some_tree_settings.h"

namespace outrider::artifacts {
namespace {

using Flavour = draft::ParallelModel::Flavour;

cost::MachineTreeSettings through_a_file(const cost::MachineTreeSettings& settings) {
  hdf5::Writer writer;
  write_tree_settings(settings, writer, tree_settings_group(Flavour::kMedusa, "a machine"));
  return read_tree_settings(hdf5::Reader(writer.finish(), "s.h5"),
                            "/tree_settings/medusa/a-machine");
}

TEST(TreeSettingsGroup, GivesBackWhatWasWritten) {
  auto expected = test::some_tree_settings("0a1b");
  expected.by_temperature[0].choice_share = 0.03;
  expected.by_temperature[0].trials[1].setting.best_nodes = 6;
  const auto found = through_a_file(expected);
  expect_same_passes(found, expected);
  EXPECT_EQ(found.by_temperature[0].choice_share, 0.03);
  EXPECT_EQ(found.by_temperature[1].choice_share, 0);
}

TEST(TreeSettingsGroup, IsOfAFlavourAndAMachine) {
  EXPECT_EQ(tree_settings_group(Flavour::kEagle, "A B"), "/tree_settings/eagle/A-B");
  EXPECT_EQ(tree_settings_group(Flavour::kEagleAr, "m"), "/tree_settings/eagle-ar/m");
}

TEST(TreeSettingsGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& why, auto change) {
    auto settings = test::some_tree_settings("0a1b");
    change(settings);
    test::expect_input_error([&] { through_a_file(settings); }, "s.h5", why);
  };
  using Settings = cost::MachineTreeSettings;
  const auto first = [](Settings& s) -> cost::TreeTrial& { return s.by_temperature[0].trials[0]; };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused("/choice_share: expected 0 to",
          [](Settings& s) { s.by_temperature[0].choice_share = -1; });
  refused("/threads: expected 1 or more", [](Settings& s) { s.threads = 0; });
  refused("/draft_rows: expected numbers of rows from 1 on", [](Settings& s) { s.rows[0] = 2; });
  refused("/draft_shares: holds no time", [](Settings& s) { s.shares[0] = 0; });
  refused("/draft_shares: holds no time", [&](Settings& s) { s.shares[1] = nan; });
  refused("/draft_shares", [](Settings& s) { s.shares.pop_back(); });
  refused("/temperatures: expected one", [](Settings& s) { s.by_temperature.clear(); });
  refused("/temperature: expected", [&](Settings& s) { s.by_temperature[0].temperature = nan; });
  refused("/temperature: expected temperatures in ascending order",
          [](Settings& s) { s.by_temperature[1].temperature = 0; });
  refused("/lengths: expected 1 to 100000 settings, found 0",
          [](Settings& s) { s.by_temperature[0].trials.clear(); });
  refused("/lengths: expected 1 to 65536, found 0",
          [&](Settings& s) { first(s).setting.length = 0; });
  refused("/lengths: expected 1 to 64, found 65",
          [&](Settings& s) { first(s).setting.length = 65; });
  refused("/widths: expected 1 to 64 children, found 0",
          [&](Settings& s) { first(s).setting.widths = {0}; });
  refused("/widths: expected 1 to 64 children, found 65",
          [&](Settings& s) { first(s).setting.widths = {65}; });
  refused("/widths: expected trees of at most 2048 nodes", [&](Settings& s) {
    first(s).setting.widths = {64, 64};
  });
  refused("/best_nodes: expected 0 to 2048, found -1",
          [&](Settings& s) { first(s).setting.best_nodes = -1; });
  refused("/best_nodes: expected 0 to 2048, found 2049",
          [&](Settings& s) { first(s).setting.best_nodes = 2049; });
  refused("/best_nodes: expected no widths", [&](Settings& s) {
    first(s).setting.widths = {2};
    first(s).setting.best_nodes = 2;
  });
  refused("/thresholds: expected 0 to 1, found nan",
          [&](Settings& s) { first(s).setting.threshold = nan; });
  refused("/rounds: expected 1 or more", [&](Settings& s) { first(s).rounds = 0; });
  refused("/tokens: expected 0", [&](Settings& s) { first(s).tokens = -1; });
  refused("/drafting: expected 0 or more", [&](Settings& s) {
    auto counts = first(s).drafting.counts();
    counts[0] = -1;
    first(s).drafting = cost::PassRows(counts);
  });
  refused("/tokens_per_second", [&](Settings& s) { first(s).tokens_per_second = nan; });
}

TEST(TreeSettingsGroup, RefusesOtherDatasets) {
  hdf5::Writer writer;
  write_tree_settings(test::some_tree_settings("01"), writer, "/a");
  write_tree_settings(test::some_tree_settings("01"), writer, "/b/c");
  const hdf5::Reader file(writer.finish(), "s.h5");
  read_tree_settings(file, "/b/c");
  test::expect_input_error([&] { read_tree_settings(file, "/b"); }, "s.h5", "/b/draft");
}

}  // namespace
}  // namespace outrider::artifacts
