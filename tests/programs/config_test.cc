#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// The lines that set a key, without comments and padding, then "# key" of each line "# key = ...".
std::vector<std::string> settings(const std::string& toml) {
  std::istringstream lines(toml);
  std::vector<std::string> all, without_value;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, key, equals;
    words >> hash >> key >> equals;
    if (hash == "#" && equals == "=") without_value.push_back("# " + key);
    if (line.empty() || line[0] == '#') continue;
    line.erase(std::min(line.find(" #"), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    all.push_back(line);
  }
  all.insert(all.end(), without_value.begin(), without_value.end());
  return all;
}

/// The key of one of `settings`.
std::string key_of(const std::string& setting) {
  const std::size_t begin = setting[0] == '#' ? 2 : 0;
  return setting.substr(begin, setting.find(' ', begin) - begin);
}

/// The settings that one method alone has.
std::set<std::string> settings_of_one_method() {
  std::map<std::string, int> users;
  for (const methods::NewMethod make : methods::all_methods()) {
    const auto record = methods::settings_record(*make());
    for (const auto& setting : record.items()) {
      std::string name = setting.key();
      std::replace(name.begin(), name.end(), '_', '-');
      ++users[name];
    }
  }
  std::set<std::string> names;
  for (const auto& [name, count] : users)
    if (count == 1) names.insert(name);
  return names;
}

/// The defaults without those of `optional` keys that the file leaves out.
std::vector<std::string> expected(std::vector<std::string> defaults,
                                  const std::vector<std::string>& file,
                                  const std::set<std::string>& optional) {
  std::set<std::string> shown;
  for (const std::string& setting : file) shown.insert(key_of(setting));
  std::erase_if(defaults, [&](const std::string& setting) {
    const std::string key = key_of(setting);
    return optional.count(key) > 0 && shown.count(key) == 0;
  });
  return defaults;
}

TEST(Config, TheFilesInConfigsShowTheDefaults) {
  const Shell shell;
  for (const auto& [command, name] : {std::pair<std::string, std::string>{"\"$runtime\"", "decode"},
                                      {"\"$data\"", "traces"},
                                      {"\"$calibrate\"", "heads"},
                                      {"\"$calibrate\"", "layer"},
                                      {"\"$calibrate\"", "ngrammys"},
                                      {"\"$calibrate\"", "cost"},
                                      {"\"$train\"", "draft"},
                                      {"\"$train\"", "parallelspec"}}) {
    if (command == "\"$train\"" && !Shell::has_train()) continue;
    const std::string config = "\"$source/configs/" + name + ".toml\"";
    const std::vector<std::string> file = settings(shell.run("cat " + config).out);
    const std::string printing = fmt::format("{} {} --print-config", command, name);
    const std::string defaults = shell.run(printing).out;
    // A drafter's own settings need no line.
    const std::set<std::string> optional =
        name == "decode" ? settings_of_one_method() : std::set<std::string>();
    EXPECT_EQ(file, expected(settings(defaults), file, optional)) << name;
    EXPECT_EQ(shell.run(fmt::format("{} --config {}", printing, config)).out, defaults);
  }
}

TEST(Config, OnlyTheSettingsOfOneMethodMayBeLeftOut) {
  const std::set<std::string> optional = settings_of_one_method();
  EXPECT_EQ(optional.count("ngram"), 1u);
  EXPECT_EQ(optional.count("draft-length"), 0u);
  const std::vector<std::string> defaults =
      settings("[decode]\n# model =\n# ngram =\nbranches = 1\nseed = 0\n");
  const auto shows = [&](const std::string& toml) {
    const std::vector<std::string> file = settings(toml);
    return file == expected(defaults, file, optional);
  };
  EXPECT_TRUE(shows("[decode]\n# model = 'm'\nbranches = 1  # of one\nseed = 0\n"));
  EXPECT_FALSE(shows("[decode]\n# model = 'm'\nbranches = 1\n")) << "of no method";
  EXPECT_FALSE(shows("[decode]\n# model = 'm'\nseed = 0\n")) << "of two methods";
  EXPECT_FALSE(shows("[decode]\n# model = 'm'\nbranches = 2\nseed = 0\n")) << "no default";
  EXPECT_FALSE(shows("[decode]\n# model = 'm'\nperiod = 1\nbranches = 1\nseed = 0\n")) << "none";
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

TEST(Config, OnlyUtf8IsPrinted) {
  const Shell shell;
  const Outcome outcome = shell.run("\"$runtime\" decode -m $'a\\xff' --print-config");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "runtime: --model: expected UTF-8, which TOML is, byte 1 is not\n");
  EXPECT_EQ(outcome.out, "");
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
