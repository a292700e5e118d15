// `calibrate replay`, for every method whose settings calibration replays.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "calibrate/answers/stored_answers.h"
#include "calibrate/commands/commands.h"
#include "data/commands/commands.h"
#include "data/store/trace_writer.h"
#include "runtime/base/bfloat16.h"
#include "runtime/commands/commands.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/run_command.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::calibrate {
namespace {

/// tiny.gguf, and p.jsonl with two prompts.
void write_model_and_prompts(const std::filesystem::path& folder) {
  test::write_tiny_llama(folder, "tiny.gguf", {.head_width = 32}, 1, model::WeightType::kQ8_0);
  std::ofstream(folder / "p.jsonl") << "{\"turns\": [\"abc abd abc\"]}\n"
                                       "{\"turns\": [\"the cat and the hat\"]}\n";
}

/// Decodes p.jsonl with a method and its flags at temperatures 0 and 1, and checks the replays; the texts one after the
/// other, and both at a time.
/// @param by_costs  whether settings are chosen by measured costs: they can change with the context, which two texts at a
///                  time change, so that other tokens are drafted
void expect_replays_are_decoding(const std::string& model, const std::string& prompts,
                                 const std::vector<std::string>& method, bool by_costs = false) {
  for (const char* temperature : {"0", "1"}) {
    std::string alone;
    for (const char* sequences : {"1", "2"}) {
      std::vector<std::string> words = {"replay",        "-m",        model,         "--prompts",
                                        prompts,         "-n",        "40",          "--quiet",
                                        "--temperature", temperature, "--sequences", sequences,
                                        "--costs",       "stored",    "--method"};
      words.insert(words.end(), method.begin(), method.end());
      const test::Outcome done = test::run_command(add_replay, words);
      EXPECT_EQ(done.code, 0) << method[0] << ": " << done.err;
      EXPECT_NE(done.out.find("2 texts, "), std::string::npos) << done.out;
      EXPECT_EQ(done.out.find(", 0 tokens drafted") != std::string::npos, method[0] == "ar")
          << method[0] << ": " << done.out;
      EXPECT_NE(done.out.find("pass by pass"), std::string::npos) << done.out;
      if (alone.empty()) alone = done.out;
      if (!by_costs) {
        EXPECT_EQ(done.out, alone) << method[0];
      }
    }
  }
}

TEST(ReplayCommand, FindsEveryMethodsReplaysToBeDecoding) {
  test::CalibratedTarget target;
  const test::TemporaryFolder folder;
  write_model_and_prompts(folder.path());
  for (const methods::NewMethod make : methods::all_methods()) {
    std::vector<std::string> method = {make()->name()};
    if (methods::fill_in(*make(), "artifacts", target.artifacts()))
      method.insert(method.end(), {"--artifacts", target.artifacts()});
    // The random drafter is sure of no token.
    if (method[0] == "parallelspec-medusa") method.insert(method.end(), {"--draft-threshold", "0"});
    expect_replays_are_decoding(target.target().options().model,
                                (folder.path() / "p.jsonl").string(), method);
  }
}

TEST(ReplayCommand, FindsReplaysToBeDecodingInOtherSettings) {
  const test::TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  write_model_and_prompts(folder.path());
  const test::Outcome made = test::run_command(
      add_ngrammys, {"ngrammys", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"),
                     "--artifacts", path("tiny.h5"), "--keep-top", "5", "-n", "20", "--quiet"});
  ASSERT_EQ(made.code, 0) << made.err;
  const test::Outcome layer =
      test::run_command(add_layer, {"layer", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"),
                                    "--artifacts", path("tiny.h5"), "-n", "20", "--quiet"});
  ASSERT_EQ(layer.code, 0) << layer.err;
  const std::vector<std::vector<std::string>> methods = {
      {"context-ngram", "--drafts", "3"},
      {"pld-plus-h", "--layer", "1", "--threshold", "0.4", "--branches", "2"},
      {"pld-plus-h", "--layer", "1", "--logit-weight", "0.3", "--threshold", "0.4", "--branches",
       "2"},
      {"pld-plus-h", "--draft-length", "6", "--branches", "2", "--artifacts", path("tiny.h5")},
      {"pld-plus-h", "--draft-length", "6", "--logit-weight", "0.3", "--artifacts",
       path("tiny.h5")},
      {"pld-plus-a", "--heads", "2:1,1:3", "--aggregation", "sum", "--branches", "3"},
      {"pld-plus-a", "--heads", "2:1,1:3", "--draft-length", "70"},
      {"unigram", "--drafts", "5", "--artifacts", path("tiny.h5")},
      {"bigram", "--drafts", "5", "--draft-length", "4", "--artifacts", path("tiny.h5")},
      {"ngrammys", "--drafts", "5", "--draft-length", "4", "--artifacts", path("tiny.h5")},
      {"recycling", "--draft-nodes", "6", "--artifacts", path("tiny.h5")},
      {"ssd", "--draft", path("tiny.gguf"), "--draft-stop", "heuristic"},
      {"ssd", "--draft", path("tiny.gguf"), "--draft-stop", "confidence", "--verify", "rejection"},
      {"ssd", "--draft", path("tiny.gguf"), "--copy-first", "--copy-min-speed-up", "1"},
      {"tsd", "--draft", path("tiny.gguf"), "--children", "2", "--draft-length", "3",
       "--tree-nodes", "9"},
      {"tsd", "--draft", path("tiny.gguf"), "--verify", "rejection"},
      {"gsd", "--draft", path("tiny.gguf"), "--merge-run", "1", "--tree-nodes", "9", "--sources",
       "pld"}};
  for (const auto& method : methods)
    expect_replays_are_decoding(path("tiny.gguf"), path("p.jsonl"), method);
  for (const std::vector<std::string>& method : std::vector<std::vector<std::string>>{
           {"pld-plus-h", "--draft-length", "0", "--branches", "2", "--artifacts", path("tiny.h5")},
           {"bigram", "--drafts", "5", "--artifacts", path("tiny.h5")},
           {"ngrammys", "--drafts", "5", "--artifacts", path("tiny.h5")}})
    expect_replays_are_decoding(path("tiny.gguf"), path("p.jsonl"), method, true);
}

TEST(ReplayCommand, ReplaysTextsThatWereDecodedBefore) {
  const test::TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  write_model_and_prompts(folder.path());
  const auto records_of = [&](const char* name) {
    std::ifstream lines(path(name));
    std::vector<nlohmann::json> records;
    for (std::string line; std::getline(lines, line);)
      records.push_back(nlohmann::json::parse(line));
    return records;
  };
  const std::vector<std::string> method = {"--method", "pld-plus-h", "--layer", "1"};
  const auto with_method = [&](std::vector<std::string> words) {
    words.insert(words.end(), method.begin(), method.end());
    return words;
  };
  const test::Outcome plain = test::run_command(
      add_decode, {"decode", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"), "-n", "40",
                   "--method", "ar", "--json", path("plain.jsonl"), "--quiet"});
  ASSERT_EQ(plain.code, 0) << plain.err;
  const test::Outcome decoded = test::run_command(
      add_decode, with_method({"decode", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"),
                               "-n", "40", "--json", path("decoded.jsonl"), "--quiet"}));
  ASSERT_EQ(decoded.code, 0) << decoded.err;
  const test::Outcome replayed = test::run_command(
      add_replay, with_method({"replay", "-m", path("tiny.gguf"), "--answers", path("plain.jsonl"),
                               "--json", path("replayed.jsonl"), "--quiet"}));
  ASSERT_EQ(replayed.code, 0) << replayed.err;
  EXPECT_EQ(replayed.out.find("2 texts, "), 0u) << replayed.out;
  const auto expected = records_of("decoded.jsonl"), found = records_of("replayed.jsonl");
  ASSERT_EQ(found.size(), 2u);
  std::int64_t drafted = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const char* key :
         {"id", "task", "method", "passes", "drafted", "accepted", "drafts", "tokens_per_pass"})
      EXPECT_EQ(found[i][key], expected[i][key]) << key;
    EXPECT_EQ(found[i]["settings"]["layer"], 1);
    drafted += found[i]["drafted"].get<std::int64_t>();
  }
  EXPECT_GT(drafted, 0);

  const auto refused = [&](std::vector<std::string> words, const std::string& message) {
    words.insert(words.begin(), {"replay", "-m", path("tiny.gguf"), "--answers"});
    const test::Outcome outcome = test::run_command(add_replay, with_method(std::move(words)));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  refused({path("p.jsonl"), "--json", path("replayed.jsonl")},
          "line 1: \"prompt_tokens\": expected a list of token ids");
  EXPECT_EQ(records_of("replayed.jsonl").size(), 2u);  // what was there is lost only to new records
  refused({path("plain.jsonl"), "--json", path("plain.jsonl")}, "which is read");
  refused({path("plain.jsonl"), "-n", "7"}, "--max-new: not with --answers");
  refused({path("plain.jsonl"), "--seed", "7"}, "--seed: not with --answers");
}

TEST(ReplayCommand, ReplaysTracesWithTheStatesThatTheyKeep) {
  const test::TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
  write_model_and_prompts(folder.path());
  const auto make = [&](const std::string& name, std::vector<std::string> how) {
    std::vector<std::string> words = {
        "traces", "-m", path("tiny.gguf"), "--prompts", path("p.jsonl"), "-o", path(name),
        "-n",     "60", "--samples",       "2",         "--temperature", "0",  "1",
        "--quiet"};
    words.insert(words.end(), how.begin(), how.end());
    const test::Outcome made = test::run_command(data::add_traces, words);
    ASSERT_EQ(made.code, 0) << made.err;
  };
  make("tokens", {"--store", "tokens"});
  make("states", {"--store", "features", "--layers", "1"});
  // The same traces, whose states are all alike.
  const data::TraceStore states(path("states"));
  const data::ShardPlan plan = {2, 4, 1, 1};
  data::TraceWriter alike(path("alike"), states.identity(), plan);
  std::vector<data::Trace> traces;
  for_each_stored_answer(states, [&](const Answer&, const data::ShardReader& shard, std::size_t i) {
    traces.push_back(shard.trace(i));
    for (data::LayerStates& layer : traces.back().states)
      for (Bfloat16& number : layer.values) number = float_to_bfloat16(1);
  });
  ASSERT_EQ(traces.size(), 4u);
  alike.write(0, traces);

  const auto replay = [&](const std::string& store, const std::vector<std::string>& method) {
    std::vector<std::string> words = {"replay", "-m", path("tiny.gguf"), "--data",  path(store),
                                      "--json", "-",  "--quiet",         "--method"};
    words.insert(words.end(), method.begin(), method.end());
    const test::Outcome done = test::run_command(add_replay, words);
    EXPECT_EQ(done.code, 0) << done.err;
    std::vector<nlohmann::json> drafts;
    std::istringstream lines(done.out);
    for (std::string line; std::getline(lines, line);)
      drafts.push_back(nlohmann::json::parse(line)["drafts"]);
    EXPECT_EQ(drafts.size(), 4u) << done.out;
    return drafts;
  };
  const std::vector<std::string> by_states = {"pld-plus-h", "--layer", "1", "--threshold", "0.9"};
  EXPECT_EQ(replay("states", by_states), replay("tokens", by_states));
  EXPECT_NE(replay("alike", by_states), replay("tokens", by_states));
  // What the store does not keep is computed again.
  for (const std::vector<std::string>& method :
       {std::vector<std::string>{"pld-plus-h", "--layer", "2"},
        {"pld-plus-h", "--layer", "1", "--logit-weight", "1"},
        {"pld-plus-a", "--heads", "2:1"},
        {"pld"},
        {"ar"}})
    EXPECT_EQ(replay("alike", method), replay("tokens", method)) << method[0];

  const auto refused = [&](std::vector<std::string> more, const std::string& message) {
    more.insert(more.begin(), {"replay", "-m", path("tiny.gguf"), "--data", path("tokens")});
    const test::Outcome outcome = test::run_command(add_replay, more);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  refused({"-n", "7"}, "--max-new: not with --data, whose answers exist already");
  refused({"--answers", path("p.jsonl")}, "--answers: not with --data");
  test::write_tiny_llama(folder.path(), "tiny.gguf", {.head_width = 32}, 2,
                         model::WeightType::kQ8_0);
  refused({}, "its traces are of tiny.gguf, not of " + path("tiny.gguf"));
}

TEST(ReplayCommand, TheThresholdIsOfHiddenStatesOnly) {
  const test::TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  write_model_and_prompts(folder.path());
  std::ofstream(path("replay.toml")) << "[replay]\nthreshold = 0.99\n";
  const auto replay = [&](std::vector<std::string> how) {
    std::vector<std::string> words = {
        "replay", "-m",      path("tiny.gguf"), "--prompts",  path("p.jsonl"), "-n",
        "40",     "--quiet", "--method",        "pld-plus-a", "--heads",       "2:1"};
    words.insert(words.end(), how.begin(), how.end());
    return test::run_command(add_replay, words);
  };
  // A file may hold what other methods use.
  const test::Outcome held = replay({"--config", path("replay.toml")});
  EXPECT_EQ(held.code, 0) << held.err;
  EXPECT_EQ(held.out, replay({}).out);
  const test::Outcome given = replay({"--threshold", "0.99"});
  EXPECT_EQ(given.code, 2);
  EXPECT_NE(given.err.find("--threshold: not used by --method pld-plus-a"), std::string::npos)
      << given.err;
}

}  // namespace
}  // namespace outrider::calibrate
