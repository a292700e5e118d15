// Where every command writes, and that nothing it reads is lost by it.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/programs/command_files.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

namespace fs = std::filesystem;

/// A folder with one of everything that commands read.
class OutputsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shell_ = new Shell;
    shell_->write(
        "p.jsonl",
        R"({"id": "a", "turns": ["to be or not to be that is the question to be or not"],)"
        R"( "reference": "to be or not to be"})"
        "\n"
        R"({"id": "b", "turns": ["one two three one two three one two"],)"
        R"( "reference": "three one two"})"
        "\n");
    shell_->write("sources.jsonl",
                  R"({"turns": ["Say:\nSource 1 (x): one two ten"], "reference": "[ 1 one two ]"})"
                  "\n");
    shell_->write("q.txt", "one two one");
    shell_->write("ids.txt", "10 11\n");
    const Outcome made = shell_->run(
        "cp -r \"$source/tests/golden/hf/llama_sharded\" F && "
        "\"$calibrate\" layer -m F --prompts p.jsonl --samples 2 -n 4 --artifacts a.h5 && "
        "\"$calibrate\" ngrams -m F --prompts p.jsonl --samples 1 -n 4 --keep-top 2 --artifacts "
        "a.h5 && "
        "\"$calibrate\" cost -m endless.gguf --rounds 1 --rows 1 2 --contexts 10 --threads 1 "
        "--artifacts c.h5 && "
        "\"$data\" traces -m F --prompts p.jsonl -o S -n 12 --samples 2 --temperature 0 1 && "
        "\"$runtime\" decode -m F --prompts p.jsonl -n 4 --json answers.jsonl");
    ASSERT_EQ(made.status, 0) << made.err;
    if (!Shell::has_train()) return;
    const Outcome trained = shell_->run(
        "\"$train\" draft -m F --data S --validation 0.5 --vocab-size 40 --steps 1 --work W "
        "--artifacts d.h5 && "
        "\"$data\" traces -m F --add-to S --draft d.h5");
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  static void TearDownTestSuite() {
    delete shell_;
    shell_ = nullptr;
  }

  /// @param output  "--json x"
  static Outcome run(const CommandFiles& command, const Use& use, const std::string& output) {
    return shell_->run(
        fmt::format("printf '[{1}]\\n' > config.toml; \"${0}\" {1} {2} --config "
                    "config.toml {3}",
                    command.program, command.command, output, use.words));
  }

  static Shell* shell_;
};

Shell* OutputsTest::shell_ = nullptr;

/// The words of a help text's lines that begin with two spaces and no more: an option or a positional
/// with its type.
std::vector<Words> options_of_help(const std::string& help) {
  std::vector<Words> options;
  std::istringstream lines(help.substr(0, help.find("\nExamples:")));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ") || line[2] == ' ') continue;
    std::istringstream words(line);
    options.emplace_back();
    for (std::string word; words >> word;) options.back().push_back(word);
  }
  return options;
}

/// What an option is called in a help text: "--model" of "-m,--model".
std::string long_name(const std::string& names) { return names.substr(names.find(',') + 1); }

TEST_F(OutputsTest, TheTableHasEveryCommandAndEveryOptionThatNamesAFile) {
  std::map<std::string, std::set<std::string>> listed, known;
  for (const CommandFiles& command : commands()) {
    known[command.program].insert(command.command);
    std::set<std::string> of_table, of_help;
    for (const Words* names : {&command.inputs, &command.outputs, &command.kept})
      of_table.insert(names->begin(), names->end());
    const Outcome help =
        shell_->run(fmt::format("\"${}\" {} --help", command.program, command.command));
    for (const Words& words : options_of_help(help.out)) {
      const std::string name = long_name(words.front());
      const bool is_positional = name[0] != '-' && words.size() > 2 && words[2] == "REQUIRED";
      const std::string type = words.size() > 1 ? words[1].substr(0, words[1].find('=')) : "";
      const bool names_a_file = name[0] == '-' && name != "--config" &&
                                (type.starts_with("FILE") || type == "DIR" || type == "FOLDER");
      if (is_positional || names_a_file) of_help.insert(name);
    }
    EXPECT_EQ(of_help, of_table) << command.program << " " << command.command;
    EXPECT_EQ(command.uses.empty(), command.outputs.empty());
  }
  for (const auto& [program, names] : known) {
    const Outcome help = shell_->run(fmt::format("\"${}\" --help", program));
    for (const Words& words : options_of_help(help.out.substr(help.out.find("Subcommands:"))))
      listed[program].insert(words.front());
  }
  EXPECT_EQ(listed, known);
}

TEST_F(OutputsTest, NoOutputReplacesAnInput) {
  for (const CommandFiles& command : commands()) {
    for (const Use& use : command.uses) {
      for (const std::string& output : command.outputs) {
        Words inputs = use.reads;
        inputs.push_back("config.toml");
        for (const std::string& input : inputs) {
          const std::string before = shell_->read(input);
          const Outcome outcome = run(command, use, output + " ./" + input);
          const std::string after = shell_->read(input);
          const bool is_config = input == "config.toml";
          const std::string what = fmt::format("{} {} {} {} {}", command.program, command.command,
                                               use.words, output, input);
          EXPECT_EQ(outcome.status, 2) << what << "\n" << outcome.err;
          EXPECT_NE(outcome.err.find(fmt::format("{} ./{}: would replace ", output, input)),
                    std::string::npos)
              << what << "\n"
              << outcome.err;
          if (is_config)
            EXPECT_EQ(after, fmt::format("[{}]\n", command.command)) << what;
          else
            ASSERT_EQ(after, before) << what;
        }
      }
    }
  }
}

TEST_F(OutputsTest, TwoOutputsOfACommandAreTwoFiles) {
  for (const CommandFiles& command : commands()) {
    if (command.uses.empty() || command.outputs.size() < 2) continue;
    for (const std::string name : {"both", "-"}) {
      const Outcome outcome =
          run(command, command.uses.front(),
              command.outputs[0] + " " + name + " " + command.outputs[1] + " " + name);
      EXPECT_EQ(outcome.status, 2) << outcome.err;
      EXPECT_NE(outcome.err.find(command.outputs[0] + " and " + command.outputs[1]),
                std::string::npos)
          << outcome.err;
    }
    EXPECT_FALSE(fs::exists(shell_->path() / "both"));
  }
}

TEST_F(OutputsTest, GoThroughDevicesPipesAndLinksAndToStandardOutput) {
  const std::string full = (shell_->path() / "full").string();
  const bool is_root = ::mknod(full.c_str(), S_IFCHR | 0666, ::makedev(1, 7)) == 0;
  for (const CommandFiles& command : commands()) {
    for (const Use& use : command.uses) {
      for (const std::string& output : command.outputs) {
        const std::string what =
            fmt::format("{} {} {} {}", command.program, command.command, use.words, output);
        shell_->run("rm -rf link target; ln -s target link; mkfifo pipe 2> /dev/null");
        const auto expect_done = [&](const Outcome& outcome) {
          EXPECT_EQ(outcome.status, 0) << what << "\n" << outcome.err;
        };
        expect_done(run(command, use, output + " link"));
        EXPECT_TRUE(fs::is_symlink(shell_->path() / "link")) << what;
        EXPECT_GT(shell_->read("target").size(), 0u) << what;
        // What a file holds does not change from run to run, but for times.
        const Outcome to_output = run(command, use, output + " -");
        expect_done(to_output);
        EXPECT_EQ(to_output.out.substr(0, 4), shell_->read("target").substr(0, 4)) << what;
        expect_done(
            shell_->run(fmt::format("timeout 20 cat pipe > read & \"${}\" {} {} pipe {}; "
                                    "status=$?; wait; exit $status",
                                    command.program, command.command, output, use.words)));
        EXPECT_EQ(shell_->read("read").substr(0, 4), shell_->read("target").substr(0, 4)) << what;
        EXPECT_TRUE(fs::is_fifo(shell_->path() / "pipe")) << what;
        if (!is_root) continue;
        const Outcome to_full = run(command, use, output + " full");
        EXPECT_EQ(to_full.status, 2) << what << "\n" << to_full.err;
        EXPECT_NE(to_full.err.find(output + " full: cannot write: No space left on device"),
                  std::string::npos)
            << what << "\n"
            << to_full.err;
        EXPECT_TRUE(fs::is_character_file(full)) << what;
      }
    }
  }
}

TEST_F(OutputsTest, ThatAreFoldersOrArtifactsAreNotStandardOutput) {
  const Outcome traces = shell_->run("\"$data\" traces -m F --prompts p.jsonl -o -");
  EXPECT_EQ(traces.status, 2);
  EXPECT_NE(traces.err.find("--out: expected a folder, found -"), std::string::npos) << traces.err;
  const Outcome cost = shell_->run("\"$calibrate\" cost -m endless.gguf --artifacts -");
  EXPECT_EQ(cost.status, 2);
  EXPECT_NE(cost.err.find("--artifacts: expected a file, found -"), std::string::npos) << cost.err;
  EXPECT_FALSE(fs::exists(shell_->path() / "-"));
}

}  // namespace
}  // namespace outrider::test
