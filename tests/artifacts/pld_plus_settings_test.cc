#include "runtime/artifacts/pld_plus_settings.h"

#include <gtest/gtest.h>

#include "runtime/sampling/nearest_temperature.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using draft::PldPlusSettings;

PldPlusSettings settings_at(std::optional<double> temperature, int draft_length) {
  PldPlusSettings settings;
  settings.temperature = temperature;
  settings.draft_lengths = {draft_length};
  settings.thresholds = {-1};
  settings.tokens_per_pass = settings.drafted_per_pass = settings.tokens_per_second = {2};
  settings.draft_length = draft_length;
  return settings;
}

hdf5::Reader written(const std::vector<PldPlusSettings>& all) {
  hdf5::Writer file;
  write_pld_plus_settings(all, file, "/g");
  return {file.finish(), "settings.h5"};
}

TEST(PldPlusSettings, ComeBackByTemperature) {
  const auto all = read_pld_plus_settings(
      written({settings_at(0, 4), settings_at(0.5, 3), settings_at(1, 2)}), "/g");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].temperature, 0.5);
  for (const auto& [temperature, length] :
       {std::pair{0.0, 4}, {0.2, 4}, {0.25, 4}, {0.3, 3}, {0.8, 2}, {1.0, 2}, {7.0, 2}})
    EXPECT_EQ(sampling::nearest_temperature(all, temperature).draft_length, length) << temperature;
}

/// As in older files: one group without a temperature.
TEST(PldPlusSettings, OfOlderFilesServeEveryTemperature) {
  hdf5::Writer file;
  const std::string place = "/g/settings/";
  file.add_number<std::int32_t>(place + "context", 9);
  file.add_number<double>(place + "plain_tokens_per_second", 100);
  file.add<std::int32_t>(place + "draft_lengths", {1}, std::vector<std::int32_t>{5},
                         hdf5::Packing::kPlain);
  for (const char* name : {"tokens_per_pass", "drafted_per_pass", "tokens_per_second"})
    file.add<double>(place + name, {1, 1}, std::vector<double>{2}, hdf5::Packing::kPlain);
  file.add<double>(place + "thresholds", {1}, std::vector<double>{-1}, hdf5::Packing::kPlain);
  file.add_number<std::int32_t>(place + "draft_length", 5);
  file.add_number<double>(place + "threshold", -1);
  const auto all = read_pld_plus_settings({file.finish(), "old.h5"}, "/g");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].temperature);
  for (const double temperature : {0.0, 1.0})
    EXPECT_EQ(sampling::nearest_temperature(all, temperature).draft_length, 5);
}

TEST(PldPlusSettings, TemperaturesOutOfOrderAreRefused) {
  const auto refused = [](const std::vector<PldPlusSettings>& all) {
    const hdf5::Reader file = written(all);
    test::expect_input_error([&] { read_pld_plus_settings(file, "/g"); },
                             "expected temperatures in ascending order");
  };
  refused({settings_at(1, 4), settings_at(0, 3)});
  refused({settings_at(1, 4), settings_at(1, 3)});
  refused({settings_at({}, 4)});
  refused({settings_at(-1, 4)});
}

}  // namespace
}  // namespace outrider::artifacts
