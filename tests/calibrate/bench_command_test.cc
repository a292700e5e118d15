#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/commands/commands.h"
#include "runtime/engine/machine.h"
#include "runtime/model/identity.h"
#include "tests/support/run_command.h"
#include "tests/support/some_disco.h"
#include "tests/support/tiny_model_folder.h"

namespace outrider::calibrate {
namespace {

test::Outcome bench(std::vector<std::string> words) {
  words.insert(words.begin(), "bench");
  return test::run_command(add_bench, std::move(words));
}

std::filesystem::path newest_journal() {
  std::filesystem::path newest;
  for (const auto& entry : std::filesystem::directory_iterator(journal_folder()))
    if (newest.empty() || entry.last_write_time() > std::filesystem::last_write_time(newest))
      newest = entry.path();
  return newest;
}

class BenchCommand : public test::TinyModelFolder {
 protected:
  /// Writes what might have been trained for a draft model on a machine.
  void write_disco(const std::string& draft, const std::string& file,
                   const std::string& machine) const {
    for (const bool published : {true, false}) {
      artifacts::TrainedDisco disco =
          test::some_disco(model::model_hash(model::load_model(draft)), published);
      disco.machine = machine;
      artifacts::replace_group(file, artifacts::identity_of(model::load_model(model_)),
                               published ? artifacts::kDisco : artifacts::kStopClassifier, {},
                               [&](hdf5::Writer& writer, const std::string& group) {
                                 artifacts::write_disco(disco, writer, group);
                               });
    }
  }
};

TEST_F(BenchCommand, SweepsNumbersAndLengthsOfDrafts) {
  const auto path = [&](const char* name) { return (folder_.path() / name).string(); };
  std::ofstream(path("p.jsonl")) << "{\"turns\": [\"abc abd abc\"]}\n{\"turns\": [\"hello\"]}\n";
  const test::Outcome outcome = bench({"--grid",
                                       "-m",
                                       model_,
                                       "-t",
                                       "1",
                                       "--method",
                                       "context-ngram",
                                       "--prompts",
                                       path("p.jsonl"),
                                       "-n",
                                       "30",
                                       "--drafts",
                                       "1",
                                       "4",
                                       "--draft-length",
                                       "1",
                                       "2",
                                       "3",
                                       "--json",
                                       path("grid.json"),
                                       "--plot",
                                       path("grid.svg")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("context-ngram on 2 prompts, 1 threads"), std::string::npos);
  const auto json = nlohmann::json::parse(std::ifstream(path("grid.json")));
  EXPECT_EQ(json["plain"]["tokens"], 58);  // the first of each text is its prefill's
  EXPECT_EQ(json["plain"]["passes"], 58);
  ASSERT_EQ(json["cells"].size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& cell = json["cells"][i];
    EXPECT_EQ(cell["drafts"], i < 3 ? 1 : 4);
    EXPECT_EQ(cell["draft_length"], i % 3 + 1);
    EXPECT_EQ(cell["tokens"], 58);
    EXPECT_EQ(cell["passes"].get<int>() + cell["accepted"].get<int>(), 58);
    EXPECT_DOUBLE_EQ(cell["tokens_per_call"], 58.0 / cell["passes"].get<int>());
    const auto decoded = test::run_command(
        add_decode, {"decode", "-m", model_, "-t", "1", "--method", "context-ngram", "--prompts",
                     path("p.jsonl"), "-n", "30", "--drafts", cell["drafts"].dump(),
                     "--draft-length", cell["draft_length"].dump(), "--json", path("texts.jsonl")});
    ASSERT_EQ(decoded.code, 0) << decoded.err;
    std::ifstream texts(path("texts.jsonl"));
    int passes = 0, drafted = 0;
    for (std::string line; std::getline(texts, line);) {
      const auto text = nlohmann::json::parse(line);
      passes += text["passes"].get<int>();
      drafted += text["drafted"].get<int>();
    }
    EXPECT_EQ(cell["passes"], passes);
    EXPECT_EQ(cell["drafted"], drafted);
  }
  std::ifstream picture(path("grid.svg"));
  const std::string svg{std::istreambuf_iterator<char>(picture), {}};
  EXPECT_NE(svg.find("tokens per call"), std::string::npos);
}

TEST_F(BenchCommand, StudiesStopPolicies) {
  const auto path = [&](const char* name) { return (folder_.path() / name).string(); };
  std::ofstream(path("p.jsonl")) << "{\"turns\": [\"abc abd abc\"]}\n{\"turns\": [\"hello\"]}\n";
  const std::string lesser =
      test::write_tiny_llama(folder_.path(), "lesser.gguf",
                             {.layers = 1, .head_width = 32, .context = 1024}, 5,
                             model::WeightType::kQ4_1)
          .string();
  const std::vector<std::string> words = {
      "--stops",   "-m", model_,    "-t",   "1",           "--prompts", path("p.jsonl"),
      "--max-new", "30", "--draft", lesser, "--artifacts", path("a.h5")};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return bench(more);
  };
  write_disco(lesser, path("a.h5"), "some machine");
  const test::Outcome outcome = with({"--json", path("s.json"), "--plot", path("s.svg")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("the oracle's rounds have"), std::string::npos) << outcome.out;
  const auto json = nlohmann::json::parse(std::ifstream(path("s.json")));
  const auto& cells = json["policies"];
  ASSERT_EQ(cells.size(), 9u);
  EXPECT_EQ(cells[0]["policy"], "target");
  EXPECT_EQ(cells[6]["policy"], "disco");
  EXPECT_EQ(cells[7]["policy"], "classifier");
  const auto& oracle = cells[8];
  EXPECT_EQ(oracle["policy"], "oracle");
  EXPECT_EQ(oracle["accepted"], oracle["drafted"]);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(cells[i]["tokens"], oracle["tokens"]);
    EXPECT_GE(cells[i]["passes"], oracle["passes"]);
    EXPECT_EQ(cells[i].contains("classification"), i > 0);
    EXPECT_EQ(cells[i].contains("auc"), i >= 4);
    if (i == 0) continue;
    EXPECT_EQ(cells[i]["classification"]["tokens"], oracle["tokens"]);
  }
  EXPECT_EQ(json["always"]["tokens"], oracle["tokens"]);
  std::ifstream picture(path("s.svg"));
  const std::string svg{std::istreambuf_iterator<char>(picture), {}};
  EXPECT_NE(svg.find("Lengths of the oracle's rounds"), std::string::npos) << svg.substr(0, 900);
  EXPECT_NE(svg.find(fmt::format("The oracle's {} rounds of the first text",
                                 json["oracle_lengths"]["lengths_in_first_text"].size())),
            std::string::npos);

  EXPECT_EQ(cells[2]["settings"], "--draft-length 5") << "what has not been chosen on this machine";
  EXPECT_EQ(cells[5]["settings"], "--draft-length 16 --draft-threshold 0.40");

  // Chosen on this machine, and rounds of each text.
  write_disco(lesser, path("a.h5"), engine::machine_name());
  const test::Outcome rounds = with({"--rounds", "2", "--json", path("r.json")});
  ASSERT_EQ(rounds.code, 0) << rounds.err;
  const auto again = nlohmann::json::parse(std::ifstream(path("r.json")));
  EXPECT_EQ(again["rounds"], 2);
  const std::string by_classifier =
      "--draft-length 5 --draft-threshold 0.50, 12 inputs, C_i, hard labels";
  const std::vector<std::string> settings = {"plain decoding",
                                             "--draft-length 5",
                                             "--draft-length 5",
                                             "--draft-length 16",
                                             "--draft-length 5 --draft-threshold 0.20",
                                             "--draft-length 2 --draft-threshold 0.20",
                                             by_classifier,
                                             by_classifier,
                                             "--draft-length 256"};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const auto& cell = again["policies"][i];
    EXPECT_EQ(cell["settings"], settings[i]);
    EXPECT_EQ(cell["tokens"], cells[i]["tokens"]) << "each text once";
    EXPECT_EQ(cell["tokens_of_texts"], cells[i]["tokens_of_texts"]);
    EXPECT_EQ(cell["seconds_of_texts"].size(), 2u);
  }
  EXPECT_EQ(again["policies"][8]["passes"], oracle["passes"]);

  // A run that is interrupted keeps the texts that it has measured with every policy.
  const test::Outcome cut = with({"--minutes", "1e-7"});
  EXPECT_EQ(cut.code, 130) << cut.err;
  const test::Outcome unwritten = with({"--rounds", "2", "--json", "/dev/full"});
  EXPECT_EQ(unwritten.code, 2) << unwritten.err;
  EXPECT_NE(unwritten.err.find("2 texts decoded with 9 policies each, 2 times"), std::string::npos)
      << unwritten.err;
  const std::filesystem::path journal = newest_journal();
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) - 3);
  const test::Outcome resumed = with({"--rounds", "2", "--json", path("resumed.json")});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("1 texts decoded with 9 policies each"), std::string::npos);
  EXPECT_NE(resumed.out.find("measured in 2 starts"), std::string::npos) << resumed.out;
  EXPECT_FALSE(std::filesystem::exists(journal));
  const auto in_parts = nlohmann::json::parse(std::ifstream(path("resumed.json")));
  EXPECT_EQ(again["starts"], 1);
  EXPECT_EQ(in_parts["starts"], 2);
  for (const char* key : {"always", "oracle_lengths"}) EXPECT_EQ(in_parts[key], again[key]);
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (const char* key : {"tokens_of_texts", "passes", "draft_passes", "drafted", "accepted",
                            "classification", "auc"})
      EXPECT_EQ(in_parts["policies"][i].value(key, nlohmann::json()),
                again["policies"][i].value(key, nlohmann::json()))
          << i << key;

  const test::Outcome sampled = with({"--temperature", "1", "--verify", "rejection"});
  ASSERT_EQ(sampled.code, 0) << sampled.err;
  EXPECT_EQ(sampled.out.find("\noracle "), std::string::npos) << "whose texts it would change";
  EXPECT_NE(sampled.out.find(" 12 inputs, C_i, soft labels"), std::string::npos) << sampled.out;
  EXPECT_NE(sampled.out.find("product of C_i, soft labels"), std::string::npos);
}

TEST_F(BenchCommand, RefusesWhatItCannotMeasure) {
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), {"-m", model_});
    const test::Outcome outcome = bench(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  refused({}, "expected --grid, for drafts of every number and length, or --stops");
  refused({"--stops", "--grid"}, "expected --grid, for drafts of every number and length, or");
  refused({"--grid", "--rounds", "3"}, "--rounds: only with --stops");
  refused({"--grid", "--verify", "coupled"}, "--verify: only with --stops");
  refused({"--stops", "--drafts", "3"}, "--drafts: only with --grid");
  refused({"--grid", "--threads", "1", "2"}, "2");
  refused({"--grid", "--method", "pld"}, "--method: expected one with both --drafts and");
  refused({"--grid", "--drafts", "0"}, "--drafts: expected a whole number from 1 to 64, found '0'");
}

}  // namespace
}  // namespace outrider::calibrate
