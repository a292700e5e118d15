#include "runtime/artifacts/copy_lengths.h"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/artifacts/copy_settings.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

CopyLengths some_lengths() {
  CopyLengths lengths;
  lengths.score_bounds = {-0.5F, 0.25F};
  lengths.match_bounds = {3};
  lengths.places = {9, 8, 7, 6, 5, 4};
  lengths.said = {9, 5, 8, 0, 1, 1, 0, 0, 5, 4, 4, 3};
  lengths.seconds = {0.5, 0.625, 0.75};
  lengths.machine = "some machine, 2 threads";
  lengths.tokens_per_second = 300;
  lengths.fixed_tokens_per_second = 290;
  return lengths;
}

CopySettings settings_with(std::optional<CopyLengths> lengths) {
  CopySettings settings;
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

hdf5::Reader written(std::optional<CopyLengths> lengths) {
  hdf5::Writer file;
  write_copy_settings({settings_with(std::move(lengths))}, file, "/g");
  return {file.finish(), "lengths.h5"};
}

TEST(CopyLengths, ComeBackAsTheyWereWritten) {
  const CopyLengths made = some_lengths();
  const CopyLengths read = read_copy_settings(written(made), "/g").at(0).by_step.value();
  EXPECT_EQ(read.score_bounds, made.score_bounds);
  EXPECT_EQ(read.match_bounds, made.match_bounds);
  EXPECT_EQ(read.places, made.places);
  EXPECT_EQ(read.said, made.said);
  EXPECT_EQ(read.seconds, made.seconds);
  EXPECT_EQ(read.machine, made.machine);
  EXPECT_EQ(read.tokens_per_second, 300);
  EXPECT_EQ(read.fixed_tokens_per_second, 290);
  EXPECT_EQ(read.longest(), 2);
  EXPECT_TRUE(read.is_faster());
}

TEST(CopyLengths, AreMissingInFilesOfOld) {
  EXPECT_FALSE(read_copy_settings(written({}), "/g").at(0).by_step.has_value());
}

TEST(CopyLengths, WhatCannotBeIsRefused) {
  const auto refused = [](const auto& spoil, const char* what) {
    CopyLengths spoiled = some_lengths();
    spoil(spoiled);
    const hdf5::Reader file = written(spoiled);
    test::expect_input_error([&] { read_copy_settings(file, "/g"); }, what);
  };
  refused([](CopyLengths& l) { l.score_bounds[0] = 1; }, "/score_bounds");
  refused([](CopyLengths& l) { l.score_bounds[1] = std::numeric_limits<float>::quiet_NaN(); },
          "/score_bounds");
  refused([](CopyLengths& l) { l.said[1] = 10; }, "/said");  // more go on for two than for one
  refused([](CopyLengths& l) { l.said[2] = 9; }, "/said");   // more than places
  refused([](CopyLengths& l) { l.said[11] = -1; }, "/said");
  refused([](CopyLengths& l) { l.seconds[2] = 0; }, "/seconds");
  refused(
      [](CopyLengths& l) {
        l.seconds = {1};
        l.said.clear();
      },
      "/seconds");
}

}  // namespace
}  // namespace outrider::artifacts
