// Where every command writes, and that nothing it reads is lost by it.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
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
    shell = new Shell;
    shell->write("p.jsonl",
                 R"({"id": "a", "turns": ["to be or not to be that is the question to be or not"],)"
                 R"( "reference": "to be or not to be"})"
                 "\n"
                 R"({"id": "b", "turns": ["one two three one two three one two"],)"
                 R"( "reference": "three one two"})"
                 "\n");
    shell->write("sources.jsonl",
                 R"({"turns": ["Say:\nSource 1 (x): one two ten"], "reference": "[ 1 one two ]"})"
                 "\n");
    shell->write("q.txt", "one two one");
    shell->write("study.json",
                 R"({"temperature": 0, "verify": "coupled", "policies": [{"policy": "target", )"
                 R"("tokens_of_texts": [1], "seconds_of_texts": [1]}]})");
    shell->write("ids.txt", "10 11\n");
    const Outcome made = shell->run(
        "cp -r \"$source/tests/golden/hf/llama_sharded\" F && "
        "\"$calibrate\" layer -m F --prompts p.jsonl --samples 2 -n 4 --artifacts a.h5 && "
        "\"$calibrate\" ngrammys -m F --prompts p.jsonl --samples 1 -n 4 --keep-top 2 --artifacts "
        "a.h5 && "
        "\"$calibrate\" cost -m endless.gguf --rounds 1 --rows 1 2 --contexts 10 --threads 1 "
        "--artifacts c.h5 && "
        "\"$data\" traces -m F --prompts p.jsonl -o S -n 12 --samples 2 --temperature 0 1 && "
        "\"$data\" export S --to answers --out answers.h5 && "
        "for part in 1 2; do \"$calibrate\" layer -m F --data S --artifacts m.h5 --shard $part/2; "
        "done && \"$runtime\" decode -m F --prompts p.jsonl -n 4 --json answers.jsonl");
    ASSERT_EQ(made.status, 0) << made.err;
    if (!Shell::has_train()) return;
    const Outcome trained = shell->run(
        "\"$train\" draft -m F --data S --validation 0.5 --vocab-size 40 --steps 1 --work W "
        "--artifacts d.h5 && "
        "\"$data\" traces -m F --add-to S --draft d.h5 && ln -s S/group-draft-* G && "
        "\"$train\" disco -m F --data S --draft d.h5 --validation 0.5 --epochs 1 --artifacts d.h5 "
        "&& "
        "\"$train\" parallelspec -m F --data S --validation 0.5 --vocab-size 40 --steps 1 --cache "
        "C "
        "--work P --artifacts e.h5 && (cd C && ln -s *.h5 states.h5) && "
        "\"$data\" traces -m tiny.gguf --prompts p.jsonl -o T -n 12 --temperature 1 && "
        "\"$train\" draft -m tiny.gguf --data T --validation 0.5 --vocab-size 40 --steps 1 --work "
        "V "
        "--artifacts t.h5");
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  static void TearDownTestSuite() {
    delete shell;
    shell = nullptr;
  }

  static bool can_run(const CommandFiles& command) {
    const bool reads_trained = command.command == "export" || command.command == "parallelspec";
    return !reads_trained || Shell::has_train();
  }

  /// @param output  "--json x"
  static Outcome run(const CommandFiles& command, const Use& use, const std::string& output) {
    return shell->run(
        fmt::format("printf '[{1}]\\n' > config.toml; \"${0}\" {1} {2} --config "
                    "config.toml {3}",
                    command.program, command.command, output, use.words));
  }

  /// The first, and those whose output another function writes.
  static std::vector<Use> that_write_otherwise(const std::vector<Use>& uses) {
    std::vector<Use> found;
    for (const Use& use : uses)
      if (found.empty() || use.writes_otherwise) found.push_back(use);
    return found;
  }

  /// The names in the folder.
  static std::string names() { return shell->run("touch config.toml; ls -A").out; }

  static Shell* shell;
};

Shell* OutputsTest::shell = nullptr;

TEST_F(OutputsTest, NoOutputReplacesAnInput) {
  shell->run("rm -f b.h5*");
  const std::string made = names();
  for (const CommandFiles& command : commands()) {
    if (!can_run(command)) continue;
    for (const Use& use : command.uses) {
      for (const std::string& output : command.outputs) {
        Words inputs = use.reads;
        inputs.push_back("config.toml");
        for (const std::string& input : inputs) {
          const std::string before = shell->read(input);
          const Outcome outcome = run(command, use, fmt::format("{} ./{}", output, input));
          const std::string after = shell->read(input);
          const bool is_config = input == "config.toml";
          const std::string what = fmt::format("{} {} {} {} {}", command.program, command.command,
                                               use.words, output, input);
          EXPECT_EQ(outcome.status, 2) << what << "\n" << outcome.err;
          EXPECT_NE(outcome.err.find(fmt::format("{} ./{}: would replace ", output, input)),
                    std::string::npos)
              << what << "\n"
              << outcome.err;
          EXPECT_EQ(names(), made) << what << ": refused after the work";
          if (is_config)
            EXPECT_EQ(after, fmt::format("[{}]\n", command.command)) << what;
          else
            ASSERT_EQ(after, before) << what;
        }
      }
    }
  }
}

TEST_F(OutputsTest, MetricsReplaceNoInputAndAreARegularFile) {
  for (const CommandFiles& command : commands()) {
    const bool has_metrics =
        std::find(command.kept.begin(), command.kept.end(), "--metrics") != command.kept.end();
    if (!has_metrics) continue;
    ASSERT_FALSE(command.runs.empty()) << command.command;
    for (const Use& use : command.runs) {
      shell->run("rm -rf X x.h5 hard link; mkfifo pipe 2> /dev/null");
      for (const std::string& input : use.reads) {
        const std::string before = shell->read(input);
        ASSERT_NE(before, "") << input;
        shell->run(fmt::format("ln -sf {0} link; ln -fL {0} hard", input));
        const Words names = input == use.reads.back() ? Words{input, "link", "hard"} : Words{input};
        for (const std::string& name : names) {
          const Outcome outcome = run(command, use, "--metrics ./" + name);
          EXPECT_EQ(outcome.status, 2) << use.words << " " << input << "\n" << outcome.err;
          EXPECT_NE(outcome.err.find(fmt::format("--metrics ./{}: would replace ", name)),
                    std::string::npos)
              << outcome.err;
          ASSERT_EQ(shell->read(input), before) << use.words << " " << input;
          EXPECT_FALSE(fs::exists(shell->path() / "X")) << use.words << ": leaves its folder";
        }
      }
      for (const std::string name : {"-", "pipe", "/dev/full"}) {
        const Outcome outcome = run(command, use, "--metrics " + name);
        EXPECT_EQ(outcome.status, 2) << name;
        EXPECT_NE(outcome.err.find("--metrics: expected a regular file, which a resumed run "
                                   "reads again, found " +
                                   name),
                  std::string::npos)
            << outcome.err;
      }
    }
  }
}

TEST_F(OutputsTest, AnExportedFolderReplacesNoFileOfTheTarget) {
  if (!Shell::has_train()) GTEST_SKIP() << "train/ is not built";
  const std::string before = shell->read("F/config.json"), ids = shell->read("F/tokenizer.json");
  shell->run("mkdir E I; ln -s ../F/config.json E; ln F/tokenizer.json I");
  for (const std::string folder : {"F", "E", "I"}) {
    const Outcome outcome =
        shell->run("\"$runtime\" export -m F --artifacts d.h5 --to safetensors --out " + folder);
    EXPECT_EQ(outcome.status, 2) << folder;
    const std::string why =
        folder == "F" ? "would replace files of F, which is read" : "expected a new";
    EXPECT_NE(outcome.err.find("--out " + folder + ": " + why), std::string::npos) << outcome.err;
    EXPECT_EQ(shell->read("F/config.json"), before);
    EXPECT_EQ(shell->read("F/tokenizer.json"), ids);
    EXPECT_FALSE(fs::exists(shell->path() / folder / "model.safetensors")) << folder;
  }
}

TEST_F(OutputsTest, TwoOutputsOfACommandAreTwoFiles) {
  for (const CommandFiles& command : commands()) {
    if (command.uses.empty() || command.outputs.size() < 2) continue;
    for (const std::string name : {"both", "-", "/dev/stdout"}) {
      const Outcome outcome =
          run(command, command.uses.front(),
              fmt::format("{0} {2} {1} {2}", command.outputs[0], command.outputs[1], name));
      EXPECT_EQ(outcome.status, 2) << outcome.err;
      EXPECT_NE(outcome.err.find(command.outputs[0] + " and " + command.outputs[1]),
                std::string::npos)
          << outcome.err;
    }
    EXPECT_FALSE(fs::exists(shell->path() / "both"));
  }
}

TEST_F(OutputsTest, ReplaceNothingThatIsKeptBesideAnArtifact) {
  const std::string flag = "--artifacts ";
  int tried = 0;
  for (const CommandFiles& command : commands()) {
    if (std::find(command.kept.begin(), command.kept.end(), "--artifacts") == command.kept.end())
      continue;
    Words words;
    for (const std::vector<Use>* uses : {&command.uses, &command.runs})
      for (const Use& use : *uses) words.push_back(use.words);
    for (const std::string& word : words) {
      const std::size_t at = word.find(flag);
      if (at == std::string::npos) continue;
      const std::size_t name = at + flag.size();
      const std::string artifact = word.substr(name, word.find(' ', name) - name);
      for (const std::string& output : command.outputs) {
        for (const char* end : {".lock", ".journal.part"}) {
          const std::string beside = artifact + end;
          shell->write(beside, "old");
          const Outcome outcome = shell->run(fmt::format("\"${}\" {} {} {} {}", command.program,
                                                         command.command, output, beside, word));
          EXPECT_EQ(outcome.status, 2) << word << "\n" << outcome.err;
          EXPECT_NE(outcome.err.find(fmt::format("{} {}: would replace a file that --artifacts {}",
                                                 output, beside, artifact)),
                    std::string::npos)
              << outcome.err;
          EXPECT_EQ(shell->read(beside), "old");
          fs::remove(shell->path() / beside);
          ++tried;
        }
      }
    }
  }
  EXPECT_GE(tried, 4);
}

TEST_F(OutputsTest, GoThroughDevicesPipesAndLinksAndToStandardOutput) {
  const std::string full = (shell->path() / "full").string();
  const bool is_root = ::mknod(full.c_str(), S_IFCHR | 0666, ::makedev(1, 7)) == 0;
  for (const CommandFiles& command : commands()) {
    if (!can_run(command)) continue;
    for (const Use& use : that_write_otherwise(command.uses)) {
      for (const std::string& output : command.outputs) {
        const std::string what =
            fmt::format("{} {} {} {}", command.program, command.command, use.words, output);
        shell->run("rm -rf link target; ln -s target link; mkfifo pipe 2> /dev/null");
        const auto expect_done = [&](const Outcome& outcome) {
          EXPECT_EQ(outcome.status, 0) << what << "\n" << outcome.err;
        };
        expect_done(run(command, use, output + " link"));
        EXPECT_TRUE(fs::is_symlink(shell->path() / "link")) << what;
        EXPECT_GT(shell->read("target").size(), 0u) << what;
        // What a file holds does not change from run to run, but for times.
        const Outcome to_output = run(command, use, output + " -");
        expect_done(to_output);
        EXPECT_EQ(to_output.out.substr(0, 4), shell->read("target").substr(0, 4)) << what;
        expect_done(
            shell->run(fmt::format("timeout 20 cat pipe > read & \"${}\" {} {} pipe {}; "
                                   "status=$?; wait; exit $status",
                                   command.program, command.command, output, use.words)));
        EXPECT_EQ(shell->read("read").substr(0, 4), shell->read("target").substr(0, 4)) << what;
        EXPECT_TRUE(fs::is_fifo(shell->path() / "pipe")) << what;
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

TEST_F(OutputsTest, EndQuietlyIfNobodyReadsStandardOutput) {
  for (const CommandFiles& command : commands()) {
    if (!can_run(command) || command.uses.empty()) continue;
    for (const std::string& output : command.outputs) {
      for (const char* name : {"-", "/dev/stdout"}) {
        // Begun when the reader has gone.
        const Outcome outcome = shell->run(
            fmt::format("exec 9> >(:); wait $!; \"${}\" {} {} {} {} >&9", command.program,
                        command.command, output, name, command.uses.back().words));
        EXPECT_EQ(outcome.status, 0)
            << command.program << " " << command.command << " " << output << " " << name << "\n"
            << outcome.err;
      }
    }
  }
}

/// A command that cannot write its messages finishes all the same, and no message lands in its output file.
TEST_F(OutputsTest, NeedNoStandardStreams) {
  shell->run("mknod full c 1 7 2> /dev/null || ln -sf /dev/full full");
  std::set<std::string> programs;  // begun with every combination of closed streams
  for (const CommandFiles& command : commands()) {
    if (!can_run(command)) continue;
    Words all_streams = {"2>full", "2>&-"};
    if (programs.insert(command.program).second)
      all_streams.insert(all_streams.end(), {">&-", ">&- 2>&-"});
    for (const Use& use :
         that_write_otherwise(command.uses.empty() ? command.runs : command.uses)) {
      std::string words = use.words;
      if (const std::size_t quiet = words.find(" --quiet"); quiet != std::string::npos)
        words.erase(quiet, std::string(" --quiet").size());
      const std::string output =
          command.outputs.empty() ? "" : command.outputs.front() + " written";
      const auto run_with = [&](const std::string& streams) {
        return shell->run(fmt::format("rm -rf X x.h5 written; \"${}\" {} {} {} {}", command.program,
                                      command.command, output, words, streams));
      };
      const Outcome usual = run_with("");
      ASSERT_EQ(usual.status, 0) << command.command << " " << words << usual.err;
      const std::string expected = output.empty() ? "" : shell->read("written");
      for (const std::string& streams : all_streams) {
        const std::string what =
            fmt::format("{} {} {}{}", command.program, command.command, words, streams);
        const Outcome outcome = run_with(streams);
        EXPECT_EQ(outcome.status, 0) << what << "\n" << outcome.err;
        if (output.empty()) continue;
        const std::string found = shell->read("written");
        // What a file holds does not change from run to run, but for times.
        EXPECT_EQ(found.substr(0, 4), expected.substr(0, 4)) << what;
        EXPECT_EQ(nlohmann::json::accept(found), nlohmann::json::accept(expected)) << what;
        ASSERT_FALSE(found.empty()) << what;
        EXPECT_EQ(found.back(), expected.back()) << what;
      }
    }
  }
}

TEST_F(OutputsTest, ThatAreFoldersOrArtifactsAreNotStandardOutput) {
  std::vector<std::pair<std::string, std::string>> commands = {
      {"\"$data\" traces -m F --prompts p.jsonl -o -", "--out: expected a folder"},
      {"\"$runtime\" export -m F --to safetensors --out -", "--out: expected a folder"},
      {"\"$calibrate\" cost -m endless.gguf --artifacts -", "--artifacts: expected a file"},
      {"\"$calibrate\" ssd -m F --data S --draft F --artifacts -", "--artifacts: expected a file"}};
  if (Shell::has_train()) {
    commands.emplace_back("\"$train\" draft -m F --data S --work -", "--work: expected a folder");
    commands.emplace_back("\"$train\" parallelspec -m F --data S --work X --cache -",
                          "--cache: expected a folder");
    commands.emplace_back(
        "\"$train\" parallelspec -m F --data S --work X --export-shape vllm --out -",
        "--out: expected a folder");
  }
  for (const auto& [command, message] : commands) {
    const Outcome outcome = shell->run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find(message + ", found -"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(shell->path() / "-")) << command;
  }
}

TEST_F(OutputsTest, ArtifactsAreFilesOrFolders) {
  shell->run("mkfifo pipe 2> /dev/null");
  for (const auto& [name, kind] : {std::pair{"/dev/null", "a device"}, std::pair{"pipe", "a pipe"}})
    for (const std::string command :
         {"\"$runtime\" decode -m F -n 2 -p hi --costs stored",
          "\"$calibrate\" layer -m F --data S --quiet",
          "\"$calibrate\" cost -m endless.gguf --rounds 1 --rows 1 2 --contexts 10 --threads 1"}) {
      const Outcome outcome =
          shell->run(fmt::format("timeout 20 {} --artifacts {}", command, name));
      EXPECT_EQ(outcome.status, 2) << command << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find(fmt::format(
                    "{}: expected an artifact file (*.h5) or a folder of such files, found {}\n",
                    name, kind)),
                std::string::npos)
          << command << "\n"
          << outcome.err;
    }
  EXPECT_EQ(shell->run("timeout 20 \"$runtime\" inspect pipe").status, 2);
}

/// Also where only the temporary or the lock file beside it cannot be made.
TEST_F(OutputsTest, ThatCannotBeMadeAreRefusedBeforeAnyWork) {
  const std::string name = std::string(253, 'x') + ".h5";
  for (const CommandFiles& command : commands()) {
    for (const Use& use : command.uses.empty() ? command.runs : command.uses) {
      Words outputs = command.outputs;
      const bool updates =
          std::find(command.kept.begin(), command.kept.end(), "--artifacts") != command.kept.end();
      const auto has = [&](const char* flag) { return use.words.find(flag) != std::string::npos; };
      // With a --draft of one's own nothing is written to artifacts.
      if (updates && !has("--artifacts") && !has("--draft")) outputs.push_back("--artifacts");
      if (!can_run(command)) continue;
      for (const std::string& output : outputs) {
        const std::string made = shell->run("ls -A").out;
        const Outcome outcome = shell->run(fmt::format("\"${}\" {} {} {} {}", command.program,
                                                       command.command, output, name, use.words));
        EXPECT_EQ(outcome.status, 2) << command.command << " " << output << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find(": File name too long\n"), std::string::npos)
            << command.command << " " << output << "\n"
            << outcome.err;
        EXPECT_EQ(shell->run("ls -A").out, made) << command.command << " " << output;
      }
    }
  }
}

TEST_F(OutputsTest, PathsThatCannotBeFollowedAreMistakesOfTheirUser) {
  shell->run("ln -s loop loop");
  for (const std::string& name : {std::string("loop"), std::string(300, 'x')}) {
    for (const char* command :
         {"\"$data\" export S --to jsonl --out ", "\"$data\" inspect S --json ",
          "\"$runtime\" inspect ", "\"$runtime\" decode -p hi -m ",
          "\"$runtime\" decode -m F -n 2 -p hi --costs stored --artifacts "}) {
      const Outcome outcome = shell->run(command + name);
      EXPECT_EQ(outcome.status, 2) << command << name << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find(name), std::string::npos) << command << "\n" << outcome.err;
      EXPECT_EQ(outcome.err.find("internal error"), std::string::npos) << outcome.err;
    }
  }
}

}  // namespace
}  // namespace outrider::test
