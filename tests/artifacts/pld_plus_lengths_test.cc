#include <gtest/gtest.h>

#include <limits>

#include "runtime/artifacts/pld_plus_lengths_group.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using draft::PldPlusLengths;

PldPlusLengths some_lengths() {
  PldPlusLengths lengths;
  lengths.score_bounds = {-0.5F, 0.25F};
  lengths.match_bounds = {3};
  lengths.sources = {9, 8, 7, 6, 5, 4};
  lengths.accepted = {9, 5, 8, 0, 1, 1, 0, 0, 5, 4, 4, 3};
  lengths.seconds = {0.5, 0.625, 0.75};
  lengths.otherwise = 3;
  lengths.machine = "some machine, 2 threads";
  lengths.tokens_per_second = 300;
  lengths.fixed_tokens_per_second = 290;
  return lengths;
}

hdf5::Reader lengths_by_temperature(const std::vector<draft::PldPlusTemperature>& all) {
  hdf5::Writer file;
  write_pld_plus_lengths(all, file, "/g");
  return {file.finish(), "lengths.h5"};
}

hdf5::Reader file_with(std::optional<PldPlusLengths> lengths) {
  return lengths_by_temperature({{0, std::move(lengths)}});
}

TEST(PldPlusLengths, ComeBackAsTheyWereWritten) {
  const PldPlusLengths made = some_lengths();
  const PldPlusLengths read = read_pld_plus_lengths(file_with(made), "/g").at(0).by_step.value();
  EXPECT_EQ(read.score_bounds, made.score_bounds);
  EXPECT_EQ(read.match_bounds, made.match_bounds);
  EXPECT_EQ(read.sources, made.sources);
  EXPECT_EQ(read.accepted, made.accepted);
  EXPECT_EQ(read.seconds, made.seconds);
  EXPECT_EQ(read.otherwise, 3);
  EXPECT_EQ(read.machine, made.machine);
  EXPECT_EQ(read.tokens_per_second, 300);
  EXPECT_EQ(read.fixed_tokens_per_second, 290);
  EXPECT_EQ(read.longest(), 2);
  EXPECT_TRUE(read.is_faster());
}

TEST(PldPlusLengths, AreMissingWhereTooLittleWasCopied) {
  EXPECT_FALSE(read_pld_plus_lengths(file_with({}), "/g").at(0).by_step.has_value());
}

TEST(PldPlusLengths, TemperaturesOutOfOrderAreRefused) {
  EXPECT_EQ(
      read_pld_plus_lengths(lengths_by_temperature({{0}, {0.5}, {1}}), "/g").at(1).temperature,
      0.5);
  for (const auto& [first, second] : {std::pair{1, 0}, {1, 1}}) {
    const hdf5::Reader file = lengths_by_temperature({{1.0 * first}, {1.0 * second}});
    test::expect_input_error([&] { read_pld_plus_lengths(file, "/g"); }, "in ascending order");
  }
  const hdf5::Reader cold = lengths_by_temperature({{-1}});
  test::expect_input_error([&] { read_pld_plus_lengths(cold, "/g"); }, "/temperature: expected");
}

TEST(PldPlusLengths, WhatCannotBeIsRefused) {
  const auto refused = [](const auto& damage, const char* what) {
    PldPlusLengths damaged = some_lengths();
    damage(damaged);
    const hdf5::Reader file = file_with(damaged);
    test::expect_input_error([&] { read_pld_plus_lengths(file, "/g"); }, what);
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
  refused([](PldPlusLengths& l) { l.otherwise = -1; }, "/otherwise");
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
