#include "tests/programs/command_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

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

TEST(CommandFiles, HaveEveryCommandAndEveryOptionThatNamesAFile) {
  const Shell shell;
  std::map<std::string, std::set<std::string>> listed, known;
  for (const CommandFiles& command : commands()) {
    known[command.program].insert(command.command);
    std::set<std::string> of_table, of_help;
    for (const Words* names : {&command.inputs, &command.outputs, &command.kept})
      of_table.insert(names->begin(), names->end());
    const Outcome help =
        shell.run(fmt::format("\"${}\" {} --help-all", command.program, command.command));
    for (const Words& words : options_of_help(help.out)) {
      const std::string name = long_name(words.front());
      const bool is_positional = name[0] != '-' && words.size() > 2 && words[2] == "REQUIRED";
      const std::string type = words.size() > 1 ? words[1].substr(0, words[1].find('=')) : "";
      const bool names_a_file =
          name[0] == '-' && name != "--config" &&
          (type.starts_with("FILE") || type == "DIR" || type == "FOLDER" || type == "PATH");
      if (is_positional || names_a_file) of_help.insert(name);
    }
    EXPECT_EQ(of_help, of_table) << command.program << " " << command.command;
    EXPECT_EQ(command.uses.empty(), command.outputs.empty());
    EXPECT_FALSE(command.uses.empty() && command.runs.empty()) << "no way to try it";
  }
  for (const auto& [program, names] : known) {
    const Outcome help = shell.run(fmt::format("\"${}\" --help", program));
    for (const Words& words : options_of_help(help.out.substr(help.out.find("Subcommands:"))))
      listed[program].insert(words.front());
  }
  EXPECT_EQ(listed, known);
}

TEST(CommandFiles, HaveNoEmptyNames) {
  const Shell shell;
  for (const CommandFiles& command : commands()) {
    Words names = {"--config"};
    for (const Words* more : {&command.inputs, &command.outputs, &command.kept})
      names.insert(names.end(), more->begin(), more->end());
    for (const std::string& name : names) {
      const std::string option = name[0] == '-' ? name + " ''" : "''";
      const Outcome outcome =
          shell.run(fmt::format("\"${}\" {} {}", command.program, command.command, option));
      EXPECT_EQ(outcome.status, 2) << command.command << " " << option;
      EXPECT_EQ(outcome.err.rfind(fmt::format("{}: {}: expected a f", command.program, name), 0),
                0u)
          << command.command << " " << option << "\n"
          << outcome.err;
      EXPECT_NE(outcome.err.find(", found an empty name\n"), std::string::npos)
          << command.command << " " << option << "\n"
          << outcome.err;
    }
  }
  EXPECT_EQ(shell.run("\"$data\" prompts ''").err,
            "data: FILE: expected a file, found an empty name\n");
}

}  // namespace
}  // namespace outrider::test
