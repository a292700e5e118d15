#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// The lines that set a key, without comments and padding; of the others nothing.
std::string settings(const std::string& toml) {
  std::istringstream lines(toml);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    line.erase(std::min(line.find(" #"), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  }
  return all;
}

/// The keys in comments: "# key =" at the start of a line.
std::string keys_without_value(const std::string& toml) {
  std::istringstream lines(toml);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, key, equals;
    words >> hash >> key >> equals;
    if (hash == "#" && equals == "=") all += key + "\n";
  }
  return all;
}

TEST(Config, TheFilesInConfigsShowTheDefaults) {
  const Shell shell;
  for (const auto& [command, name] : {std::pair<std::string, std::string>{"\"$runtime\"", "decode"},
                                      {"\"$data\"", "traces"},
                                      {"\"$calibrate\"", "heads"},
                                      {"\"$calibrate\"", "layer"},
                                      {"\"$calibrate\"", "ngrams"},
                                      {"\"$calibrate\"", "cost"},
                                      {"\"$train\"", "draft"},
                                      {"\"$train\"", "parallelspec"}}) {
    if (command == "\"$train\"" && !Shell::has_train()) continue;
    const std::string config = "\"$source/configs/" + name + ".toml\"";
    const std::string file = shell.run("cat " + config).out;
    const std::string defaults = shell.run(command + " " + name + " --print-config").out;
    EXPECT_EQ(settings(file), settings(defaults));
    EXPECT_EQ(keys_without_value(file), keys_without_value(defaults));
    EXPECT_EQ(shell.run(command + " " + name + " --config " + config + " --print-config").out,
              defaults);
  }
}

TEST(Config, WhatPrintConfigPrintsMakesTheSameRun) {
  const Shell shell;
  const std::string flags =
      " -m $tiny -p $'\"quoted\" \\\\ [INST]\\n🙂' --system '' --stop '[END]' --stop=-- --stop "
      "'{}'"
      " --logit-bias 5=-5 -n 12 --temperature .7 --top-p 0.9 --seed 11 --method pld --ngram 2";
  const Outcome printed = shell.run("\"$runtime\" decode --print-config > made.toml" + flags +
                                    "; \"$runtime\" decode --config made.toml --print-config");
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out, shell.read("made.toml"));
  const Outcome direct = shell.run("\"$runtime\" decode --quiet" + flags);
  const Outcome from_file = shell.run("\"$runtime\" decode --quiet --config made.toml");
  EXPECT_EQ(direct.status, 0) << direct.err;
  EXPECT_EQ(from_file.status, 0) << from_file.err;
  EXPECT_EQ(direct.out, from_file.out);
}

TEST(Config, AFileMayHoldWhatTheMethodDoesNotUse) {
  const Shell shell;
  shell.write("c.toml",
              "[decode]\nmodel = 'tiny.gguf'\nngram = 2\nlimit = 3\nartifacts = 'x.h5'\n");
  EXPECT_EQ(shell.run("\"$runtime\" decode --config c.toml -p hi -n 2 --method ar").status, 0);
}

TEST(Config, APromptOnTheCommandLineGoesBeforeTheFile) {
  const Shell shell;
  shell.write("c.toml", "[decode]\nmodel = 'tiny.gguf'\nprompts = 'absent.jsonl'\n");
  EXPECT_EQ(shell.run("\"$runtime\" decode --config c.toml -p hi -n 2").status, 0);
}

TEST(Config, AMistakeIsNamedByFileLineAndKey) {
  const Shell shell;
  shell.write("c.toml", "[decode]\nmodel = 'tiny.gguf'\nmax-new = -3\n");
  const Outcome outcome = shell.run("\"$runtime\" decode --config c.toml -p hi");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "runtime: c.toml:3: max-new: expected a whole number from 1 to 16777216, found '-3'\n");
}

}  // namespace
}  // namespace outrider::test
