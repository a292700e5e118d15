#include <gtest/gtest.h>

#include <limits>

#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/provenance.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using draft::PldPlusHeads;
using draft::PldPlusLayer;

PldPlusLayer some_layer() {
  PldPlusLayer found;
  found.by_layer = {1, 2};
  found.draft_length = 10;
  found.chosen = 1;
  found.by_mean = {2, 1};
  found.logit_weights = {0};
  found.by_logit_weight = found.by_logit_weight_at = {2};
  found.temperatures = {{0.5}};
  found.by_layer_at = {1, 2};
  return found;
}

hdf5::Reader written(const PldPlusLayer& found) {
  hdf5::Writer file;
  write_pld_plus_layer(found, file, "/g");
  return {file.finish(), "layer.h5"};
}

TEST(PldPlusLayer, ComesBackWithTheWeightOfLogits) {
  PldPlusLayer found = some_layer();
  found.logit_weights = {0, 0.01, 0.02};
  found.by_logit_weight = {2, 2.5, 2.25};
  found.by_logit_weight_at = {2, 3, 2};
  found.logit_weight = 0.01;
  const PldPlusLayer read = read_pld_plus_layer(written(found), "/g");
  EXPECT_EQ(read.logit_weights, found.logit_weights);
  EXPECT_EQ(read.by_logit_weight, found.by_logit_weight);
  EXPECT_EQ(read.by_logit_weight_at, found.by_logit_weight_at);
  EXPECT_EQ(read.logit_weight, 0.01);
  EXPECT_EQ(read.chosen, 1);
}

TEST(PldPlusLayer, OfAnEarlierVersionNamesWhatMakesItAnew) {
  hdf5::Writer writer;
  write_provenance({"calibrate layer", {}, 0, {}, {}, {}}, "/g", writer);
  writer.add_number<std::int32_t>("/g/settings/0/draft_length", 4);
  const hdf5::Reader file(writer.finish(), "layer.h5");
  test::expect_input_error([&] { read_pld_plus_layer(file, "/g"); }, "/g: is of an earlier version",
                           "`calibrate layer` makes it anew");
}

TEST(PldPlusChoice, TellsWhatTrialsAreOf) {
  PldPlusLayer layer = some_layer(), other = layer;
  EXPECT_EQ(layer.choice(), other.choice());
  other.chosen = 0;
  EXPECT_NE(layer.choice(), other.choice());
  other = layer;
  other.logit_weight = 0.5;
  EXPECT_NE(layer.choice(), other.choice());
}

TEST(PldPlusLayer, AWeightThatWasNotTriedIsRefused) {
  PldPlusLayer found = some_layer();
  found.logit_weights = {0, 200};
  found.by_logit_weight = found.by_logit_weight_at = {1, 1};
  const auto refused = [&](double weight, const std::string& why) {
    found.logit_weight = weight;
    const hdf5::Reader file = written(found);
    test::expect_input_error([&] { read_pld_plus_layer(file, "/g"); }, why);
  };
  refused(0.01, "expected a weight of the curve");
  refused(200, ", found 200");
}

TEST(PldPlusLayer, ACurveWithoutNumbersIsRefused) {
  PldPlusLayer found = some_layer();
  found.by_layer[0] = std::numeric_limits<double>::infinity();
  const hdf5::Reader file = written(found);
  test::expect_input_error([&] { read_pld_plus_layer(file, "/g"); }, "/g/by_layer",
                           "expected finite numbers, found inf");
}

/// Of two layers with one head each.
PldPlusHeads some_heads() {
  PldPlusHeads found;
  found.layers = 2;
  found.heads = 1;
  found.tasks = {"", "qa"};
  found.tokens = {9, 8, 7, 6};
  found.hits = {9, 1, 8, 2, 7, 3, 6, 4};
  found.ranking = {2, 0, 1, 0};
  found.sweep_heads = {1, 2};
  found.sweep = found.layer_sweep = {1, 2, 3, 4};
  found.draft_length = 10;
  found.chosen = 2;
  found.aggregation = "sum";
  found.temperatures = some_layer().temperatures;
  found.sweep_at = {1, 2, 3, 4};
  return found;
}

hdf5::Reader written(const PldPlusHeads& found) {
  hdf5::Writer file;
  write_pld_plus_heads(found, file, "/g");
  return {file.finish(), "heads.h5"};
}

TEST(PldPlusHeads, ComeBackAsTheyWereWritten) {
  const PldPlusHeads made = some_heads(), read = read_pld_plus_heads(written(made), "/g");
  EXPECT_EQ(read.layers, 2);
  EXPECT_EQ(read.heads, 1);
  EXPECT_EQ(read.tasks, made.tasks);
  EXPECT_EQ(read.tokens, made.tokens);
  EXPECT_EQ(read.hits, made.hits);
  EXPECT_EQ(read.ranking, made.ranking);
  EXPECT_EQ(read.sweep_heads, made.sweep_heads);
  EXPECT_EQ(read.sweep, made.sweep);
  EXPECT_EQ(read.layer_sweep, made.layer_sweep);
  EXPECT_EQ(read.draft_length, 10);
  EXPECT_EQ(read.chosen, 2);
  EXPECT_EQ(read.aggregation, "sum");
  ASSERT_EQ(read.temperatures.size(), 1U);
  EXPECT_EQ(read.temperatures[0].temperature, 0.5);
  EXPECT_EQ(read.choice(), made.choice());
  EXPECT_EQ(read.sweep_at, made.sweep_at);
}

TEST(PldPlusChoice, OfHeadsIsASetHoweverItIsRanked) {
  const PldPlusHeads heads = some_heads();
  PldPlusHeads other = heads;
  other.ranking = {1, 0, 2, 0};
  EXPECT_EQ(heads.choice(), other.choice());
  other.chosen = 1;
  EXPECT_NE(heads.choice(), other.choice());
  other = heads;
  other.aggregation = "max";
  EXPECT_NE(heads.choice(), other.choice());
}

TEST(PldPlusHeads, WhatCannotBeIsRefused) {
  const auto refused = [](const auto& spoil, const char* what) {
    PldPlusHeads spoiled = some_heads();
    spoil(spoiled);
    const hdf5::Reader file = written(spoiled);
    test::expect_input_error([&] { read_pld_plus_heads(file, "/g"); }, what);
  };
  refused([](PldPlusHeads& h) { h.hits[1] = 10; }, "/g/hits");  // more than tokens
  refused([](PldPlusHeads& h) { h.hits[0] = -1; }, "/g/hits");
  refused([](PldPlusHeads& h) { h.tokens[3] = std::int64_t{1} << 62; }, "/g/tokens");
  refused([](PldPlusHeads& h) { h.ranking[0] = 3; },
          "expected heads of 2 layers with 1 each, found head ");
  refused([](PldPlusHeads& h) { h.ranking[1] = 1; },
          "expected heads of 2 layers with 1 each, found head ");
  refused([](PldPlusHeads& h) { h.chosen = 3; }, "/g/chosen");
  refused([](PldPlusHeads& h) { h.aggregation = "mean"; }, "expected max or sum");
  refused([](PldPlusHeads& h) { h.sweep[1] = std::numeric_limits<double>::quiet_NaN(); },
          "/g/sweep");
}

}  // namespace
}  // namespace outrider::artifacts
