#include <gtest/gtest.h>

#include <limits>

#include "runtime/artifacts/pld_plus_settings.h"
#include "runtime/hdf5/dataset_paths.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using draft::PldPlusLengths;
using draft::PldPlusSettings;

PldPlusLengths some_lengths() {
  PldPlusLengths lengths;
  lengths.score_bounds = {-0.5F, 0.25F};
  lengths.match_bounds = {3};
  lengths.sources = {9, 8, 7, 6, 5, 4};
  lengths.accepted = {9, 5, 8, 0, 1, 1, 0, 0, 5, 4, 4, 3};
  lengths.seconds = {0.5, 0.625, 0.75};
  lengths.machine = "some machine, 2 threads";
  lengths.tokens_per_second = 300;
  lengths.fixed_tokens_per_second = 290;
  return lengths;
}

PldPlusSettings settings_with(std::optional<PldPlusLengths> lengths) {
  PldPlusSettings settings;
  settings.temperature = 0;
  settings.draft_lengths = {4};
  settings.thresholds = {-1};
  for (auto* figures :
       {&settings.tokens_per_pass, &settings.drafted_per_pass, &settings.tokens_per_second})
    *figures = {2};
  settings.draft_length = 4;
  settings.by_step = std::move(lengths);
  return settings;
}

hdf5::Reader file_with(std::optional<PldPlusLengths> lengths) {
  hdf5::Writer file;
  write_pld_plus_settings({settings_with(std::move(lengths))}, file, "/g");
  return {file.finish(), "lengths.h5"};
}

TEST(PldPlusLengths, ComeBackAsTheyWereWritten) {
  const PldPlusLengths made = some_lengths();
  const PldPlusLengths read = read_pld_plus_settings(file_with(made), "/g").at(0).by_step.value();
  EXPECT_EQ(read.score_bounds, made.score_bounds);
  EXPECT_EQ(read.match_bounds, made.match_bounds);
  EXPECT_EQ(read.sources, made.sources);
  EXPECT_EQ(read.accepted, made.accepted);
  EXPECT_EQ(read.seconds, made.seconds);
  EXPECT_EQ(read.machine, made.machine);
  EXPECT_EQ(read.tokens_per_second, 300);
  EXPECT_EQ(read.fixed_tokens_per_second, 290);
  EXPECT_EQ(read.longest(), 2);
  EXPECT_TRUE(read.is_faster());
}

/// Older files have other names for the counts.
TEST(PldPlusLengths, OfOlderFilesAreRead) {
  const hdf5::Reader now = file_with(some_lengths());
  hdf5::Writer older;
  for (const std::string& path : hdf5::dataset_paths(now)) {
    const hdf5::DatasetInfo info = now.info(path);
    std::string name = path;
    for (const auto& [new_name, old_name] : {std::pair{"sources", "places"}, {"accepted", "said"}})
      if (name.ends_with(new_name)) name.replace(name.rfind('/') + 1, name.npos, old_name);
    if (info.is_text) {
      older.add_text(name, now.read_text(path, 100));
    } else {
      older.add_numbers(name, info.type, info.dims, now.read_bytes(path), hdf5::Packing::kPlain);
    }
  }
  const hdf5::Reader file(older.finish(), "older.h5");
  ASSERT_TRUE(file.has("/g/settings/0/by_step/said"));
  const PldPlusLengths read = read_pld_plus_settings(file, "/g").at(0).by_step.value();
  EXPECT_EQ(read.sources, some_lengths().sources);
  EXPECT_EQ(read.accepted, some_lengths().accepted);
}

TEST(PldPlusLengths, AreMissingInOlderFiles) {
  EXPECT_FALSE(read_pld_plus_settings(file_with({}), "/g").at(0).by_step.has_value());
}

TEST(PldPlusLengths, WhatCannotBeIsRefused) {
  const auto refused = [](const auto& damage, const char* what) {
    PldPlusLengths damaged = some_lengths();
    damage(damaged);
    const hdf5::Reader file = file_with(damaged);
    test::expect_input_error([&] { read_pld_plus_settings(file, "/g"); }, what);
  };
  refused([](PldPlusLengths& l) { l.score_bounds[0] = 1; }, "/score_bounds");
  refused([](PldPlusLengths& l) { l.score_bounds[1] = std::numeric_limits<float>::quiet_NaN(); },
          "/score_bounds");
  refused([](PldPlusLengths& l) { l.accepted[1] = 10; },
          "/accepted");  // more for two tokens than for one
  refused([](PldPlusLengths& l) { l.accepted[2] = 9; }, "/accepted");  // more than sources
  refused([](PldPlusLengths& l) { l.accepted[11] = -1; }, "/accepted");
  refused([](PldPlusLengths& l) { l.match_bounds[0] = std::numeric_limits<std::int32_t>::max(); },
          "/match_bounds");
  refused([](PldPlusLengths& l) { l.seconds[2] = 0; }, "/seconds");
  refused(
      [](PldPlusLengths& l) {
        l.seconds = {1};
        l.accepted.clear();
      },
      "/seconds");
}

}  // namespace
}  // namespace outrider::artifacts
