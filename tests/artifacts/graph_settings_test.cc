#include "runtime/artifacts/graph_settings.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/artifacts/expect_same_passes.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/some_graph_settings.h"

namespace outrider::artifacts {
namespace {

cost::MachineGraphSettings through_a_file(const cost::MachineGraphSettings& settings) {
  hdf5::Writer writer;
  write_graph_settings(settings, writer, graph_settings_group("a machine"));
  return read_graph_settings(hdf5::Reader(writer.finish(), "s.h5"), "/graph_settings/a-machine");
}

TEST(GraphSettingsGroup, GivesBackWhatWasWritten) {
  const auto expected = test::some_graph_settings("0a1b");
  const auto found = through_a_file(expected);
  expect_same_passes(found, expected);
  for (std::size_t i = 0; i < expected.by_temperature.size(); ++i) {
    const cost::GraphSettings &one = found.by_temperature[i], &other = expected.by_temperature[i];
    EXPECT_EQ(one.cut, other.cut);
    for (std::size_t n = 0; n < other.trials.size(); ++n) {
      const cost::GraphTrial &a = one.trials[n], &b = other.trials[n];
      EXPECT_EQ(std::tuple(a.merged, a.copies, a.lacking, a.rounds_with_copies, a.later_children),
                std::tuple(b.merged, b.copies, b.lacking, b.rounds_with_copies, b.later_children));
    }
  }
  EXPECT_EQ(found.by_temperature[0].trials[2].later_children, 3);
}

TEST(GraphSettingsGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& why, auto change) {
    auto settings = test::some_graph_settings("0a1b");
    change(settings);
    test::expect_input_error([&] { through_a_file(settings); }, "s.h5", why);
  };
  using Settings = cost::MachineGraphSettings;
  const auto first = [](Settings& s) -> cost::GraphTrial& { return s.by_temperature[0].trials[0]; };
  refused("/threads: expected 1 or more", [](Settings& s) { s.threads = 0; });
  refused("/draft_threads: expected 1 or more", [](Settings& s) { s.draft_threads = 0; });
  refused("/draft_rows: expected numbers of rows from 1 on", [](Settings& s) { s.rows[0] = 2; });
  refused("/draft_rows: expected numbers of rows from 1 on", [](Settings& s) { s.rows[2] = 2; });
  refused("/draft_shares: holds no time", [](Settings& s) { s.shares[0] = 0; });
  refused("/draft_shares", [](Settings& s) { s.shares[1] = -1; });
  refused("/temperatures: expected one", [](Settings& s) { s.by_temperature.clear(); });
  refused("/children: expected 1 to 65536, found 0",
          [&](Settings& s) { first(s).setting.children = 0; });
  refused("/prune_probability: expected 0 to 1, found 2",
          [&](Settings& s) { first(s).setting.pruning.probability = 2; });
  refused("/children: expected 1 to 100000 settings, found 0",
          [](Settings& s) { s.by_temperature[0].trials.clear(); });
  refused("/rounds: expected 1 or more", [&](Settings& s) { first(s).rounds = 0; });
  refused("/tokens: expected 0", [&](Settings& s) { first(s).tokens = -1; });
  refused("/tau: expected a setting of trees and one of graphs", [](Settings& s) {
    s.by_temperature[0].trials.resize(1);
    s.by_temperature[0].trials[0].setting.children = 2;
  });
  refused("/verified: expected 0 or more", [&](Settings& s) {
    auto counts = first(s).verified.counts();
    counts[0] = -1;
    first(s).verified = cost::PassRows(counts);
  });
  refused("/tokens_per_second", [&](Settings& s) {
    first(s).tokens_per_second = std::numeric_limits<double>::quiet_NaN();
  });
}

}  // namespace
}  // namespace outrider::artifacts
