// `calibrate ssd`, with a draft model of artifacts and one of a file.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/commands/commands.h"
#include "runtime/cost/stop_trials.h"
#include "runtime/engine/machine.h"
#include "runtime/model/identity.h"
#include "runtime/report/trials_text.h"
#include "tests/calibrate/traced_draft.h"

namespace outrider::calibrate {
namespace {

class SsdCommand : public test::TracedDraft {
 protected:
  void SetUp() override { make({"-n", "40", "--temperature", "1"}); }
  test::Outcome run(const std::vector<std::string>& flags) const {
    return run_on_traces(add_ssd, "ssd", flags);
  }
  /// The settings that decoding has with these flags.
  nlohmann::json decoded(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"decode",
                                      "-m",
                                      path("tiny.gguf"),
                                      "-p",
                                      "abc",
                                      "-n",
                                      "4",
                                      "-t",
                                      "1",
                                      "--temperature",
                                      "1",
                                      "--method",
                                      "ssd",
                                      "--artifacts",
                                      path("tiny.h5"),
                                      "--json",
                                      "-"};
    words.insert(words.end(), more.begin(), more.end());
    const test::Outcome outcome = test::run_command(add_decode, words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["settings"];
  }
};

TEST_F(SsdCommand, ChoosesSettingsForTheDraftModelOfTheArtifacts) {
  const test::Outcome done = run({"--threads", "1", "--plot", path("lengths.svg")});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("Temperature 1."), std::string::npos) << done.out;
  std::ifstream picture(path("lengths.svg"));
  const std::string svg{std::istreambuf_iterator<char>(picture), {}};
  for (const char* text : {">temperature 1<", ">replayed<", ">times plain decoding<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_NE(done.out.find("mean of the tasks"), std::string::npos) << done.out;
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const cost::Trials trials = artifacts::read_trials(file.reader(), artifacts::trials_group("ssd"));
  EXPECT_EQ(trials.drafter, artifacts::draft_hash(file));
  EXPECT_EQ(trials.names, cost::kStopNames);
  ASSERT_EQ(trials.by_temperature.size(), 1u);
  EXPECT_EQ(trials.by_temperature[0].temperature, 1);
  EXPECT_EQ(trials.by_temperature[0].trials.size(), 16U * 21U);
  const auto cost = artifacts::read_drafting_cost(
      file.reader(), artifacts::drafting_cost_group(engine::machine_name(), "ssd"));
  EXPECT_EQ(cost.drafter, trials.drafter);
  EXPECT_EQ(cost.threads, 1);
  EXPECT_EQ(cost.draft_threads, 1);
  EXPECT_EQ(cost.rows, std::vector<int>{1});
  cost::TemperatureTrials tried = trials.by_temperature[0];
  tried.price(cost::TrialPrices::at(1, cost::CostModel(cost.passes), trials.context, cost));
  EXPECT_NE(done.out.find(report::flags_text(trials.names, *tried.best(trials.names, {}, {}))),
            std::string::npos)
      << done.out;
  EXPECT_TRUE(file.has(artifacts::kDraft));
}

TEST_F(SsdCommand, GoesOnAfterItsMinutes) {
  const test::Outcome cut = run({"--threads", "1", "--minutes", "0.000001"});
  EXPECT_EQ(cut.code, 130);
  EXPECT_NE(cut.err.find("stopped after --minutes 1e-06"), std::string::npos) << cut.err;
  const std::string kept = path("tiny.h5") + ".draft-texts.part";
  EXPECT_TRUE(std::filesystem::exists(kept));
  const test::Outcome done = run({"--threads", "1"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_FALSE(std::filesystem::exists(kept)) << "the result is written";
}

// The target as its own draft model draws its own noise, so that every token is accepted.
TEST_F(SsdCommand, FindsTheTargetToAgreeWithItself) {
  const test::Outcome done = run({"--threads", "1", "--draft", path("tiny.gguf"), "--json", "-"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json["temperatures"].size(), 1u);
  const auto& found = json["temperatures"][0];
  EXPECT_EQ(found["agreement"], 1);
  EXPECT_EQ(found["tasks"]["two"]["coverage"], 1);
  EXPECT_EQ(found["coverage"], 1);
  EXPECT_EQ(found["settings"][3]["draft_length"], 4);
  EXPECT_GT(found["settings"][3]["tokens_per_pass"], 4);
}

TEST_F(SsdCommand, FindsSettingsForADraftModelFromAFileThatDecodingWithItTakes) {
  const std::string draft = path("tiny.gguf");
  const auto before = decoded({"--draft", draft});
  ASSERT_EQ(run({"--threads", "1", "--draft", draft}).code, 0);
  ASSERT_EQ(run({"--threads", "1"}).code, 0) << "whose trials stand beside them";
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const std::string hash = model::model_hash(model::load_model(draft));
  const cost::Trials trials =
      artifacts::read_trials(file.reader(), artifacts::trials_group("ssd", hash));
  EXPECT_EQ(trials.drafter, hash);
  const auto cost = artifacts::read_drafting_cost(
      file.reader(), artifacts::drafting_cost_group(engine::machine_name(), "ssd", hash));
  EXPECT_EQ(cost.drafter, hash);
  cost::TemperatureTrials tried = trials.by_temperature.at(0);
  tried.price(cost::TrialPrices::at(1, cost::CostModel(cost.passes), trials.context, cost));
  const cost::SettingValues best = tried.best(trials.names, {}, {})->settings;
  const auto now = decoded({"--draft", draft});
  EXPECT_EQ(now["draft_length"], std::get<double>(best.at("draft-length")));
  EXPECT_EQ(now["draft_stop"], std::get<std::string>(best.at("draft-stop")));
  EXPECT_NE(now, before);
  EXPECT_EQ(artifacts::read_trials(file.reader(), artifacts::trials_group("ssd")).drafter,
            artifacts::draft_hash(file));
}

// Of the tokens that the target's answers have, as many as decoding is told to draft.
TEST_F(SsdCommand, FindsSettingsForATrimmedHeadThatDecodingWithTheSameFlagsTakes) {
  ASSERT_EQ(run_on_traces(add_pair_counts, "pair-counts", {}).code, 0);
  const std::vector<std::string> trimmed = {"--draft", path("tiny.gguf"), "--draft-vocab", "9"};
  std::vector<std::string> flags = {"--threads", "1", "--json", "-"};
  flags.insert(flags.end(), trimmed.begin(), trimmed.end());
  const auto before = decoded(trimmed);
  const test::Outcome done = run(flags);
  ASSERT_EQ(done.code, 0) << done.err;
  const auto found = nlohmann::json::parse(done.out)["temperatures"][0];
  EXPECT_LT(found["coverage"], 1) << "the other tokens are not drafted";
  const artifacts::ArtifactFile file(path("tiny.h5"));
  const std::string whole = model::model_hash(model::load_model(path("tiny.gguf")));
  EXPECT_FALSE(file.has(artifacts::trials_group("ssd", whole)))
      << "the head is part of what the draft model is";
  const auto now = decoded(trimmed);
  EXPECT_EQ(now["draft_vocab"], 9);
  EXPECT_EQ(now["draft_length"], found["chosen"]["draft_length"]);
  EXPECT_EQ(now["draft_stop"], found["chosen"]["draft_stop"]);
  EXPECT_NE(now, before);
}

TEST_F(SsdCommand, FindsTheFasterNumberOfThreadsUnlessItIsGiven) {
  const auto found = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--threads", "2", "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    const test::Outcome done = run(words);
    EXPECT_EQ(done.code, 0) << done.err;
    return nlohmann::json::parse(done.out);
  };
  for (const int threads : {1, 2})
    EXPECT_EQ(found({"--draft-threads", std::to_string(threads)})["draft_threads"], threads);
  // A layer of the tiny model is over before a second thread has begun, but times can be disturbed.
  const auto faster = found({});
  EXPECT_EQ(faster["threads"], 2);
  EXPECT_GE(faster["draft_threads"], 1);
  EXPECT_LE(faster["draft_threads"], 2);
  EXPECT_GT(faster["c"], 0);
}

TEST_F(SsdCommand, RefusesWhatItCannotUse) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    const test::Outcome done = run(more);
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
  };
  refused({"--draft", path("none.gguf")}, "none.gguf");
  auto other = test::tiny_llama_writer({.head_width = 32}, 1, model::WeightType::kQ8_0);
  std::vector<std::int32_t> kinds(274, 1);
  kinds[0] = kinds[1] = 3;
  other.set("tokenizer.ggml.token_type", kinds);
  const auto bytes = other.bytes();
  std::ofstream(path("other.gguf"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  refused({"--draft", path("other.gguf")}, "token 2 is expected to be \"<|im_end|>\" (special)");
  std::filesystem::remove(path("tiny.h5"));
  refused({}, "found no artifact file for tiny.gguf");
  EXPECT_EQ(run({"--draft", path("tiny.gguf")}).code, 0) << "which needs no artifacts";
}

}  // namespace
}  // namespace outrider::calibrate
