#include "runtime/artifacts/ngrammys.h"

#include <gtest/gtest.h>

#include "runtime/sampling/nearest_temperature.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using cost::DraftGrid;

/// No drafts, one and four, of one and three tokens.
DraftGrid some_grid(std::vector<double> rates) {
  DraftGrid grid;
  grid.temperature = 0;
  grid.threads = 2;
  grid.context = 77;
  grid.drafts = {0, 1, 4};
  grid.draft_lengths = {1, 3};
  grid.tokens_per_pass = {1, 1, 1.2, 1.3, 1.4, 1.8};
  grid.drafted_per_pass = {0, 0, 1, 3, 4, 11};
  grid.tokens_per_second = std::move(rates);
  return grid;
}

hdf5::Reader written(const DraftGrid& grid) {
  hdf5::Writer file;
  write_ngrammys_grids({grid}, file, "/g");
  return {file.finish(), "grid.h5"};
}

TEST(DraftGrid, ComesBackAsItWasWritten) {
  const DraftGrid made = some_grid({90, 90, 100, 110, 95, 80});
  const hdf5::Reader file = written(made);
  const DraftGrid read = read_ngrammys_grids(file, "/g").at(0);
  EXPECT_EQ(read.threads, 2);
  EXPECT_EQ(read.context, 77);
  EXPECT_EQ(read.drafts, made.drafts);
  EXPECT_EQ(read.draft_lengths, made.draft_lengths);
  EXPECT_EQ(read.tokens_per_pass, made.tokens_per_pass);
  EXPECT_EQ(read.drafted_per_pass, made.drafted_per_pass);
  EXPECT_EQ(read.tokens_per_second, made.tokens_per_second);
  EXPECT_EQ(file.read_text("/g/temperatures/0/fastest", 1000),
            "ngrammys --drafts 1 --draft-length 3 (110 tokens/s, 1.30 tokens per pass)");
}

TEST(DraftGrid, SaysWhenPlainDecodingWins) {
  const DraftGrid grid = some_grid({120, 120, 100, 110, 110, 80});
  EXPECT_EQ(grid.best().drafts, 0);
  // The fewest drafts on a tie.
  EXPECT_EQ(grid.best_drafting().drafts, 1);
  EXPECT_EQ(grid.best_drafting().draft_length, 3);
  EXPECT_EQ(describe_fastest(grid).rfind("plain decoding (ar, 120 tokens/s): no drafts", 0), 0u);
  EXPECT_NE(describe_fastest(grid).find("--drafts 1 --draft-length 3"), std::string::npos);
}

TEST(DraftGrid, WhatIsNoneIsRefused) {
  const auto refused = [](const DraftGrid& grid, const char* what) {
    const hdf5::Reader file = written(grid);
    test::expect_input_error([&] { read_ngrammys_grids(file, "/g"); }, what);
  };
  refused(some_grid({90, 90, 0, 110, 95, 80}), "/g/temperatures/0/tokens_per_second");
  DraftGrid odd = some_grid({90, 90, 100, 110, 95, 80});
  odd.drafts[2] = 5000;
  refused(odd, "expected 0 to 256, found 5000");
  odd.drafts = {0, 0, 0};
  refused(odd, "has no drafts at all");
  DraftGrid cold = some_grid({90, 90, 100, 110, 95, 80});
  cold.temperature = -1;
  refused(cold, "expected a number from 0 on");
  hdf5::Writer writer;
  write_ngrammys_grids({odd, odd}, writer, "/g");
  const hdf5::Reader twice(writer.finish(), "grid.h5");
  test::expect_input_error([&] { read_ngrammys_grids(twice, "/g"); }, "ascending order");
}

TEST(DraftGrid, IsThatOfTheNearestTemperature) {
  DraftGrid greedy = some_grid({90, 90, 100, 110, 95, 80}), sampled = greedy;
  greedy.temperature = 0;
  sampled.temperature = 1;
  sampled.context = 99;
  hdf5::Writer writer;
  write_ngrammys_grids({greedy, sampled}, writer, "/g");
  const hdf5::Reader file(writer.finish(), "grid.h5");
  const std::vector<DraftGrid> read = read_ngrammys_grids(file, "/g");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(sampling::nearest_temperature(read, 0).context, 77);
  EXPECT_EQ(sampling::nearest_temperature(read, 0.4).context, 77);
  EXPECT_EQ(sampling::nearest_temperature(read, 0.6).context, 99);
  EXPECT_EQ(sampling::nearest_temperature(read, 3).temperature, 1);
}

// A group of an older file is one grid, for all temperatures.
TEST(DraftGrid, OfOlderFilesIsForAllTemperatures) {
  hdf5::Writer writer;
  writer.add_number<std::int32_t>("/g/threads", 2);
  writer.add_number<std::int32_t>("/g/context", 77);
  writer.add<std::int32_t>("/g/drafts", {2}, std::vector<std::int32_t>{0, 1},
                           hdf5::Packing::kPlain);
  writer.add<std::int32_t>("/g/draft_lengths", {1}, std::vector<std::int32_t>{3},
                           hdf5::Packing::kPlain);
  for (const char* curve : {"tokens_per_pass", "drafted_per_pass", "tokens_per_second"})
    writer.add<double>(std::string("/g/") + curve, {2, 1}, std::vector<double>{1, 2},
                       hdf5::Packing::kPlain);
  const hdf5::Reader file(writer.finish(), "grid.h5");
  const std::vector<DraftGrid> read = read_ngrammys_grids(file, "/g");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_FALSE(read[0].temperature);
  EXPECT_EQ(sampling::nearest_temperature(read, 0.7).best().draft_length, 3);
}

}  // namespace
}  // namespace outrider::artifacts
