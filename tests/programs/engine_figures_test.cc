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

/// With paths from the root, as the script works in the repository's folder.
Outcome engine_figures(const Shell& shell, const std::string& flags) {
  shell.write("p.jsonl", "{\"turns\": [\"one two one two\"], \"reference\": \"one two three\"}\n");
  return shell.run(
      "\"$source/scripts/engine_figures\" --bin \"$(dirname \"$runtime\")\" --prompts "
      "\"$PWD/p.jsonl\" --json \"$PWD/figures.json\" -n 4 " +
      flags);
}

TEST(EngineFigures, PrintsARowOfEachModelAndKeepsAllRuns) {
  const Shell shell;
  const TemporaryFolder folder;
  const auto model =
      write_tiny_llama(folder.path(), "short.gguf", {.head_width = 32, .context = 1024}, 7,
                       model::WeightType::kQ8_0);
  const Outcome outcome =
      engine_figures(shell,
                     "--rounds 2 --threads 1 --isa auto scalar --contexts 25 200 --quality "
                     "\"$PWD/p.jsonl\" -- " +
                         model.string());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("; 2 runs: median"), std::string::npos) << outcome.out;
  // Each figure with the smallest and the largest of the runs.
  for (const std::string name : {"short.gguf, 1 threads", "short.gguf, 1 threads, scalar"})
    EXPECT_TRUE(std::regex_search(
        outcome.out, std::regex("\n\\| " + name + " \\| [0-9,]+ \\([0-9,]+-[0-9,]+\\) \\| ")))
        << outcome.out;
  EXPECT_NE(outcome.out.find(" tokens of the references in p.jsonl: perplexity "),
            std::string::npos)
      << outcome.out;
  const auto figures = nlohmann::json::parse(shell.read("figures.json"));
  ASSERT_EQ(figures["runs"].size(), 2u);
  EXPECT_EQ(figures["runs"][1]["isa"], "scalar");
  for (const auto& setting : figures["runs"]) {
    EXPECT_EQ(setting["threads"], 1);
    ASSERT_EQ(setting["runs"].size(), 2u);
    for (const auto& run : setting["runs"]) EXPECT_GT(run["tokens_per_second"], 0);
  }
}

TEST(EngineFigures, NamesMistakes) {
  const Shell shell;
  expect_refusal(engine_figures(shell, "--rounds 1 absent.gguf"), "absent.gguf: not found");
  expect_refusal(engine_figures(shell, "--rounds 0 -- \"$PWD/tiny.gguf\""),
                 "--rounds and --threads: expected");
}

}  // namespace
}  // namespace outrider::test
