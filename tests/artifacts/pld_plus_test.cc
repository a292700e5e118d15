#include "runtime/artifacts/pld_plus.h"

#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using draft::PldPlusLayer;
using draft::PldPlusSettings;

PldPlusLayer some_layer() {
  PldPlusLayer found;
  found.by_layer = {1, 2};
  found.draft_length = 10;
  found.chosen = 1;
  PldPlusSettings& settings = found.settings.emplace_back();
  settings.temperature = 0;
  settings.draft_length = 4;
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

TEST(PldPlusLayer, OfFilesOfOldWeighsNoLogits) {
  const hdf5::Reader file = written(some_layer());
  EXPECT_FALSE(file.has("/g/logit_weight"));
  const PldPlusLayer read = read_pld_plus_layer(file, "/g");
  EXPECT_TRUE(read.logit_weights.empty());
  EXPECT_EQ(read.logit_weight, 0);
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
  refused(200, "out of range");
}

}  // namespace
}  // namespace outrider::artifacts
