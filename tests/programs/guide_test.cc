// The guide (docs/GUIDE.md), followed by hand: every command that it shows, in its order, with a tiny model of every
// family. No step is a dead end for a model that another step takes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/programs/shell.h"
#include "tests/support/source_path.h"

namespace outrider::test {
namespace {

namespace fs = std::filesystem;

/// The commands of the programs in the page's indented lines, without their comments.
std::vector<std::string> commands_of_guide() {
  static const std::regex command("    ((runtime|data|calibrate|train|awk) .*)");
  std::ifstream page(source_path("docs/GUIDE.md"));
  std::vector<std::string> commands;
  for (std::string line; std::getline(page, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, command))
      commands.push_back(std::regex_replace(parts[1].str(), std::regex("\\s+#.*"), ""));
  }
  return commands;
}

/// What makes a step small; it says nothing about the model, which each step has to know by itself.
std::string smaller(const std::string& command) {
  static const std::vector<std::pair<std::string, std::string>> sizes = {
      {"runtime decode", " -n 12 --costs stored"},
      {"data traces -m $MODEL --prompts", " -n 12"},
      {"calibrate cost", " --rows 1 2 --contexts 8 --rounds 1"},
      {"train draft",
       " --layers 1 --steps 4 --validate-every 2 --validation 0.3 --vocab-size 64 --batch 2"},
      {"train parallelspec",
       " --masks 2 --vocab-size 64 --validation 0.3 --validate-every 2 --batch 2 --groups 4 "
       "--steps 4"},
      {"train disco", " --validation 0.3 --epochs 1"},
  };
  if (command.starts_with("awk ")) return std::regex_replace(command, std::regex("% 10"), "% 5");
  std::string in_context = std::regex_replace(command, std::regex("--ctx [0-9]+"), "--ctx 128");
  for (const auto& [start, size] : sizes)
    if (command.starts_with(start)) return in_context + size;
  return in_context;
}

/// Families that the test trains drafters for, since each takes seconds: one without gates, rotations and RMS norms, one
/// with experts, one with a key head for each query head, and one that norms its queries. tests/train has the loss of a draft model of every one. Not those all of whose texts at
/// temperature 0 are loops, of which there is nothing to calibrate.
const std::set<std::string> kTrained = {"gpt_bigcode", "mixtral", "phi3", "qwen3"};

/// Whether a step trains a drafter or reads one that was trained.
bool needs_training(const std::string& command) {
  if (command.starts_with("train ") || command.find("--add-to") != std::string::npos) return true;
  for (const char* of_drafters :
       {"calibrate ssd", "calibrate gsd", "calibrate pair-counts", "calibrate parallelspec"})
    if (command.starts_with(of_drafters)) return true;
  return false;
}

/// A folder of each family, by its "model_type", and the tiny GGUF file.
std::map<std::string, std::string> models() {
  std::map<std::string, std::string> found = {{"gguf", "endless.gguf"}};
  for (const auto& entry : fs::directory_iterator(source_path("tests/golden/hf"))) {
    const auto config = nlohmann::json::parse(std::ifstream(entry.path() / "config.json"));
    std::string& folder = found[config["model_type"].get<std::string>()];
    if (folder.empty() || entry.path().string() < folder) folder = entry.path().string();
  }
  return found;
}

class Guide : public testing::TestWithParam<std::pair<const std::string, std::string>> {};

TEST_P(Guide, IsWalkedFromModelAndPromptsToAFasterModel) {
  const Shell shell;
  // A random model repeats a few tokens, and copies are found only of what a prompt has.
  std::string letters;
  for (char letter = '!'; letter <= '~'; ++letter) letters += letter;
  const auto& [family, model] = GetParam();
  const Outcome said = shell.run("\"$runtime\" decode -m '" + model +
                                 "' -p 'The quick' -n 12 --costs stored --quiet --json -");
  ASSERT_EQ(said.status, 0) << said.err;
  const std::string words = nlohmann::json::parse(said.out)["text"];
  std::string prompts;
  for (int i = 0; i < 5; ++i)
    prompts += fmt::format(
        "{}\n", nlohmann::json{{"id", std::to_string(i)},
                               {"turns", {fmt::format("{}: {}{}{}", i, letters, words, words)}}}
                    .dump());
  shell.write("prompts.jsonl", prompts);
  const bool trains = Shell::has_train() && kTrained.count(family) > 0;
  std::size_t steps = 0;
  for (const std::string& command : commands_of_guide()) {
    const std::string program = command.substr(0, command.find(' '));
    if (needs_training(command) && !trains) continue;
    // It times contexts of 1,000 tokens and more, which the folders' models do not have.
    const bool times =
        command.starts_with("calibrate cost") || command.starts_with("calibrate all");
    if (times && family != "gguf") continue;
    const Outcome outcome =
        shell.run(fmt::format("MODEL='{0}'; SMALL='{0}'; awk=awk; \"${1}\"{2}", model, program,
                              smaller(command).substr(program.size())));
    ASSERT_EQ(outcome.status, 0) << command << "\n" << outcome.err;
    ++steps;
  }
  EXPECT_GE(steps, trains ? 20u : 11u);
  const Outcome same = shell.run(
      "for f in plain faster; do jq -c '[.id, .output_tokens]' $f.jsonl; done | sort | uniq -c");
  EXPECT_TRUE(same.out.starts_with("      2 [")) << same.out;
}

INSTANTIATE_TEST_SUITE_P(EveryFamily, Guide, testing::ValuesIn(models()),
                         [](const auto& one) { return one.param.first; });

}  // namespace
}  // namespace outrider::test
