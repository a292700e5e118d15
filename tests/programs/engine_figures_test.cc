// scripts/engine_figures on a tiny model.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/programs/expect_refusal.h"
#include "tests/programs/shell.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {
namespace {

class EngineFigures : public testing::Test {
 protected:
  /// Relative paths are of the folder that the script is called in.
  Outcome run(const std::string& flags) const {
    shell_.write("p.jsonl",
                 "{\"turns\": [\"one two one two\"], \"reference\": \"one two three\"}\n");
    return shell_.run(
        "\"$source/scripts/engine_figures\" --bin \"$(dirname \"$runtime\")\" --prompts p.jsonl "
        "--json figures.json -n 4 " +
        flags);
  }
  /// Of a model with a context for a prefill.
  Outcome run_on_model(const std::string& flags) const {
    const auto model =
        write_tiny_llama(folder_.path(), "short.gguf", {.head_width = 32, .context = 1024}, 7,
                         model::WeightType::kQ8_0);
    return run(flags + " -- " + model.string());
  }

  Shell shell_;
  TemporaryFolder folder_;
};

TEST_F(EngineFigures, PrintsARowOfEachModelAndKeepsAllRuns) {
  const Outcome outcome = run_on_model(
      "--rounds 2 --threads 1 --isa auto scalar --contexts 25 200 --quality "
      "\"$PWD/p.jsonl\"");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("; 2 runs: median"), std::string::npos) << outcome.out;
  // Each figure with the smallest and the largest of the runs.
  for (const std::string name : {"short, 1 threads", "short, 1 threads, scalar"})
    EXPECT_TRUE(std::regex_search(
        outcome.out, std::regex("\n\\| " + name + " \\| [0-9.,]+ \\([0-9.,]+-[0-9.,]+\\) \\| ")))
        << outcome.out;
  EXPECT_NE(outcome.out.find("8 bits against floats, on the references in p.jsonl"),
            std::string::npos)
      << outcome.out;
  const auto figures = nlohmann::json::parse(shell_.read("figures.json"));
  ASSERT_EQ(figures["settings"].size(), 2u);
  EXPECT_EQ(figures["settings"][1]["isa"], "scalar");
  for (const auto& setting : figures["settings"]) {
    EXPECT_EQ(setting["threads"], 1);
    ASSERT_EQ(setting["runs"].size(), 2u);
    for (const auto& run : setting["runs"]) EXPECT_GT(run["tokens_per_second"], 0);
  }
}

TEST_F(EngineFigures, AsksLlamaBenchInEveryRound) {
  shell_.write("llama-bench",
               "#!/bin/sh\necho '[{\"n_gen\": 0, \"n_depth\": 0, \"avg_ts\": 50}, {\"n_gen\": 32, "
               "\"n_depth\": 0, \"avg_ts\": 20}]'\necho >> \"$0.calls\"\n");
  ASSERT_EQ(shell_.run("chmod +x llama-bench").status, 0);
  const Outcome outcome = run_on_model(
      "--rounds 2 --threads 1 --contexts 25 --depths 0 --llama \"$PWD\" --before "
      "\"$(dirname \"$runtime\")\"");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::regex_search(
      outcome.out,
      std::regex(
          "\n\\| short, 1 threads \\| 0 \\| [0-9.]+ \\| 20.0 \\| [0-9.,]+ \\([0-9.,]+-[0-9.,]+\\) "
          "\\| [0-9.]+ \\| 50 \\| ")))
      << outcome.out;
  EXPECT_NE(outcome.out.find("| time of 8 rows after 25 | "), std::string::npos) << outcome.out;
  EXPECT_EQ(shell_.read("llama-bench.calls"), "\n\n");
  const auto figures = nlohmann::json::parse(shell_.read("figures.json"));
  EXPECT_EQ(figures["settings"][0]["before"].size(), 2U);
}

TEST_F(EngineFigures, NamesMistakes) {
  expect_refusal(run("--rounds 1 absent.gguf"), "absent.gguf: not found");
  expect_refusal(run("--rounds 0 -- \"$PWD/tiny.gguf\""), "--rounds and --threads: expected");
}

}  // namespace
}  // namespace outrider::test
