// Decoding with the lengths and thresholds of PLD+ that an artifact file has.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/commands/commands.h"
#include "runtime/engine/machine.h"
#include "tests/methods/pld_plus_results.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider {
namespace {

class CalibratedLengths : public testing::Test {
 protected:
  CalibratedLengths() {
    test::write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32}, 1,
                           model::WeightType::kQ8_0);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  test::TemporaryFolder folder_;
};

/// An artifact of a layer, calibrated where half of all sources are right, for at most 20 tokens.
void write_layer_lengths(const std::string& path, const artifacts::TargetIdentity& target) {
  draft::PldPlusLayer found;
  found.by_layer = {1, 2, 1};
  found.draft_length = 3;
  found.chosen = 1;
  found.by_layer_at = found.by_layer;
  found.logit_weights = found.by_logit_weight = found.by_logit_weight_at = {0};
  draft::PldPlusLengths& lengths = found.temperatures.emplace_back().by_step.emplace();
  lengths.sources = {100};
  lengths.accepted.assign(20, 50);
  lengths.seconds.assign(21, 1);
  artifacts::replace_group(path, target, artifacts::kPldPlusLayer, {},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_pld_plus_layer(found, file, group);
                           });
  test::write_copies(path, target, "pld-plus-h", found.choice(), {{0, {test::copied(3, -1, 150)}}});
}

TEST_F(CalibratedLengths, DecodingTakesTheSettingsOfTheNearestTemperature) {
  const auto target = artifacts::identity_of(model::load_model(path("tiny.gguf")));
  const draft::PldPlusLayer found = test::some_layer();
  artifacts::replace_group(path("hand.h5"), target, artifacts::kPldPlusLayer, {},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_pld_plus_layer(found, file, group);
                           });
  test::write_copies(path("hand.h5"), target, "pld-plus-h", found.choice(),
                     {{0, {test::copied(4, -1, 150)}}, {1, {test::copied(2, -1, 150)}}});
  for (const auto& [temperature, length] : {std::pair{"0", 4}, {"0.4", 4}, {"0.6", 2}, {"3", 2}}) {
    const test::Outcome done = test::run_command(
        add_decode, {"decode", "-m", path("tiny.gguf"), "-p", "abc abd abc", "-n", "4", "--method",
                     "pld-plus-h", "--artifacts", path("hand.h5"), "--temperature", temperature,
                     "--json", "-"});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(nlohmann::json::parse(done.out)["settings"]["draft_length"], length) << temperature;
  }
}

/// As if `calibrate cost` had found that a row beyond the first takes so much of a pass.
void write_row_costs(const std::string& path, const artifacts::TargetIdentity& target, int threads,
                     double of_a_row) {
  cost::MachineCost made;
  made.numerics = "int8";
  made.isa = "scalar";
  cost::ThreadsCost& cost = made.passes.emplace_back();
  cost.threads = threads;
  for (const auto shape : {cost::Shape::kChain, cost::Shape::kTree})
    for (const int rows : {1, 2, 30}) {
      const double seconds = 1 + of_a_row * (rows - 1);
      cost.passes.push_back({{shape, rows, 10}, false, {seconds, seconds, seconds}});
    }
  artifacts::replace_group(path, target, artifacts::cost_group(engine::machine_name()), {},
                           [&](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_cost(made, file, group);
                           });
}

TEST_F(CalibratedLengths, DraftsAreAsLongAsPaysOnThisMachine) {
  const auto target = artifacts::identity_of(model::load_model(path("tiny.gguf")));
  const auto drafts = [&]() {
    const test::Outcome done = test::run_command(add_decode, {"decode",
                                                              "-m",
                                                              path("tiny.gguf"),
                                                              "-p",
                                                              "abc abd abc",
                                                              "-n",
                                                              "30",
                                                              "--method",
                                                              "pld-plus-h",
                                                              "--artifacts",
                                                              path("hand.h5"),
                                                              "--draft-length",
                                                              "0",
                                                              "-t",
                                                              "1",
                                                              "--isa",
                                                              "scalar",
                                                              "--costs",
                                                              "stored",
                                                              "--json",
                                                              "-"});
    EXPECT_EQ(done.code, 0) << done.err;
    int longest = 0;
    const auto record = nlohmann::json::parse(done.out);
    for (const auto& pass : record["drafts"]) longest = std::max(longest, pass[0].get<int>());
    return longest;
  };
  write_layer_lengths(path("hand.h5"), target);
  EXPECT_GT(drafts(), 3);  // rows cost nothing where the lengths were found
  write_row_costs(path("hand.h5"), target, 2, 0.6);
  EXPECT_GT(drafts(), 3);  // with other threads
  write_row_costs(path("hand.h5"), target, 1, 0.6);
  EXPECT_EQ(drafts(), 0);  // half a token is less than a row takes
  write_row_costs(path("hand.h5"), target, 1, 0.4);
  EXPECT_GT(drafts(), 3);
}

}  // namespace
}  // namespace outrider
