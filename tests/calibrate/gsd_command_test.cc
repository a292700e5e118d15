// `calibrate gsd`, with a draft model of artifacts and one of a file.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "calibrate/commands/commands.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/engine/machine.h"
#include "runtime/model/identity.h"
#include "tests/calibrate/traced_draft.h"

namespace outrider::calibrate {
namespace {

class GsdCommandTest : public test::TracedDraft {
 protected:
  void SetUp() override { make({"-n", "24", "--samples", "2", "--temperature", "0", "1"}); }
  test::Outcome run(const std::vector<std::string>& more, const char* positions = "12") const {
    std::vector<std::string> flags = {"--positions",  positions, "--children", "2", "--steps", "3",
                                      "--tree-nodes", "40",      "--threads",  "1"};
    flags.insert(flags.end(), more.begin(), more.end());
    return run_on_traces(add_gsd, "gsd", flags);
  }
};

TEST_F(GsdCommandTest, StoresSettingsForTheDraftModelOfTheArtifacts) {
  const test::Outcome done = run({"--plot", path("sweep.svg")});
  ASSERT_EQ(done.code, 0) << done.err;
  for (const char* expected :
       {"Temperature 0: trees at", "Temperature 1: trees at", "\nchain ", "\ntsd ", "\ngsd ",
        "  --children ", "runs of 4", "tau 4", "children of a node\n", "success     later\ntsd "})
    EXPECT_NE(done.out.find(expected), std::string::npos) << done.out;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  EXPECT_TRUE(file.has(artifacts::kDraft));
  for (const std::string method : {"tsd", "gsd"}) {
    const std::string of_costs = artifacts::drafting_cost_group(engine::machine_name(), method);
    const auto drafting = artifacts::read_drafting_cost(file.reader(), of_costs);
    EXPECT_EQ(drafting.drafter, artifacts::draft_hash(file));
    EXPECT_EQ(drafting.threads, 1);
    EXPECT_EQ(drafting.draft_threads, 1);
    EXPECT_EQ(drafting.rows.size(), drafting.shares.size());
    EXPECT_FALSE(drafting.passes.empty()) << "nothing measured them before";
    const auto found = artifacts::read_trials(file.reader(), artifacts::trials_group(method));
    EXPECT_EQ(found.drafter, drafting.drafter);
    ASSERT_EQ(found.by_temperature.size(), 2u);
    for (const cost::TemperatureTrials& one : found.by_temperature) {
      EXPECT_GE(one.positions, 2);
      EXPECT_LE(one.positions, 12);
      int chains = 0;
      for (const cost::Trial& trial : one.trials) {
        const double children = cost::number_of(trial.settings, "children");
        chains += children == 1;
        EXPECT_EQ(trial.shape == cost::Shape::kChain, children == 1);
        EXPECT_EQ(trial.settings.contains("merge-run"), method == "gsd" && children > 1);
        EXPECT_LE(children, 2);
        EXPECT_LE(cost::number_of(trial.settings, "draft-length"), 3);
        EXPECT_GE(trial.tokens, trial.rounds);
        EXPECT_EQ(trial.verified.passes(), trial.rounds);
        EXPECT_GE(trial.drafting.passes(), trial.rounds);
      }
      EXPECT_GT(chains, 0);
      EXPECT_LT(chains, std::ssize(one.trials));
    }
  }
  std::stringstream svg;
  svg << std::ifstream(path("sweep.svg")).rdbuf();
  EXPECT_NE(svg.str().find("children of a node"), std::string::npos);
}

// The target as its own draft model: every chain is accepted, at any temperature.
TEST_F(GsdCommandTest, FindsTheChainOfTheTargetItselfAccepted) {
  const test::Outcome done = run({"--draft", path("tiny.gguf"), "--json", "-"}, "0");
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_NE(json["version"].get<std::string>().find("commit"), std::string::npos);
  EXPECT_TRUE(json["options"].get<std::string>().starts_with("[gsd]\n")) << json["options"];
  ASSERT_EQ(json["temperatures"].size(), 2u);
  for (const auto& one : json["temperatures"]) {
    ASSERT_EQ(one["redundancy"].size(), 1U);
    EXPECT_EQ(one["redundancy"][0]["trees"], one["positions"]);
    // The target drafts, with all of its tokens.
    const auto vocab = static_cast<double>(model::load_model(path("tiny.gguf")).config.vocab);
    for (const auto& merging : one["redundancy"][0]["merging"])
      EXPECT_DOUBLE_EQ(merging["divergence_per_token"].get<double>() * vocab,
                       merging["divergence"].get<double>());
    int found = 0;
    for (const auto& setting : one["settings"]) {
      if (setting["children"] != 1 || setting["draft_length"] != 3 ||
          setting["prune_probability"] != 0 || setting["min_path"] != 0)
        continue;
      ++found;
      EXPECT_GT(setting["tokens_per_pass"], 2.5) << one["temperature"];
      EXPECT_EQ(setting["drafted_per_round"], 3);
      EXPECT_EQ(setting["draft_passes_per_round"], 3);
      EXPECT_EQ(setting["verified_rows_per_round"], 4);
      EXPECT_EQ(setting["rounds_cut"], 0);
      EXPECT_EQ(setting["graph_success"], 0) << "a chain";
      EXPECT_EQ(setting["share_of_later_children"], 0);
      EXPECT_DOUBLE_EQ(setting["acceptance"], 1 - 1 / setting["tokens_per_pass"].get<double>());
    }
    EXPECT_EQ(found, 1);
  }
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const std::string hash = model::model_hash(model::load_model(path("tiny.gguf")));
  for (const char* method : {"tsd", "gsd"})
    EXPECT_EQ(artifacts::read_trials(file.reader(), artifacts::trials_group(method, hash)).drafter,
              hash);
}

TEST_F(GsdCommandTest, RefusesWhatItCannotUse) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const test::Outcome done = run(more);
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
  };
  refused({"--prune-probability", "2"}, "--prune-probability");
  refused({"--draft", path("none.gguf")}, "none.gguf");
  refused({"--draft-threads", "3"}, "--draft-threads: expected 1");
  std::filesystem::remove(path("tiny.h5"));
  refused({}, "found no artifact file for tiny.gguf");
}

}  // namespace
}  // namespace outrider::calibrate
