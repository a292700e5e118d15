#include "runtime/artifacts/draft_settings.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

cost::MachineDraftSettings some_settings() {
  cost::MachineDraftSettings made = {{"0a1b", "int8", 2, 1, 300}, 0.00025, 0.0025, {}};
  cost::DraftSettings one = {0, 0.5, 0.9, 400, {0, 0.4}, {1, 2, 5}, {}, {}, {}};
  one.tokens_per_round = {1.5, 1.7, 1.9, 1.4, 1.6, 1.8};
  one.drafted_per_round = {1, 2, 5, 1, 1.7, 3};
  one.tokens_per_second = {500, 510, 490, 495, 520, 520};
  made.by_temperature.push_back(one);
  one.temperature = 1;
  one.along_path = {0, 1};
  made.by_temperature.push_back(one);
  made.isa = "avx2";
  return made;
}

cost::MachineDraftSettings written(const cost::MachineDraftSettings& settings) {
  hdf5::Writer writer;
  write_draft_settings(settings, writer, draft_settings_group("a machine"));
  return read_draft_settings(hdf5::Reader(writer.finish(), "s.h5"), "/draft_settings/a-machine");
}

TEST(DraftSettingsGroup, GivesBackWhatWasWritten) {
  const auto found = written(some_settings());
  EXPECT_EQ(found.draft, "0a1b");
  EXPECT_EQ(found.numerics, "int8");
  EXPECT_EQ(found.isa, "avx2");
  EXPECT_EQ(found.threads, 2);
  EXPECT_EQ(found.draft_threads, 1);
  EXPECT_DOUBLE_EQ(found.c(), 0.1);
  ASSERT_EQ(found.by_temperature.size(), 2u);
  EXPECT_EQ(found.nearest(0.8).temperature, 1);
  EXPECT_EQ(found.nearest(0.2).temperature, 0);
  const auto best = found.by_temperature[1].best();
  EXPECT_EQ(best.draft_length, 2);
  EXPECT_EQ(best.threshold, 0.4);
  EXPECT_EQ(best.tokens_per_round, 1.6);
  EXPECT_TRUE(best.along_path);
  EXPECT_TRUE(found.by_temperature[0].along_path.empty()) << "as in older files";
  EXPECT_FALSE(found.by_temperature[0].best().along_path);
}

TEST(DraftSettingsGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](const std::string& why, auto change) {
    auto settings = some_settings();
    change(settings);
    test::expect_input_error([&] { written(settings); }, "s.h5", why);
  };
  using Settings = cost::MachineDraftSettings;
  refused("/threads: expected 1 or more", [](Settings& s) { s.threads = 0; });
  refused("/draft_threads: expected 1 or more", [](Settings& s) { s.draft_threads = 0; });
  refused("/draft_seconds: expected", [](Settings& s) { s.draft_seconds = 0; });
  refused("/temperatures: expected one", [](Settings& s) { s.by_temperature.clear(); });
  refused("ascending order", [](Settings& s) { s.by_temperature[1].temperature = 0; });
  refused("/agreement: expected 0 to 1", [](Settings& s) { s.by_temperature[0].agreement = 1.5; });
  refused("/draft_lengths: expected 1 to 256, ascending", [](Settings& s) {
    s.by_temperature[0].draft_lengths = {1, 5, 5};
  });
  refused("/thresholds: expected probabilities", [](Settings& s) {
    s.by_temperature[0].thresholds = {0, 1.4};
  });
  refused("/along_path: expected 0 or 1", [](Settings& s) {
    s.by_temperature[1].along_path = {0, 2};
  });
  refused("/tokens_per_second", [](Settings& s) {
    s.by_temperature[0].tokens_per_second[2] = std::numeric_limits<double>::quiet_NaN();
  });
}

}  // namespace
}  // namespace outrider::artifacts
