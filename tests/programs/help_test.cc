// The help of every command fits a screen, and is told in whole lines.

#include "runtime/cli/help.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/programs/command_files.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Characters, not bytes.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Where a line's words go on in the next line, the first of them would not have fitted this one.
void expect_whole_lines(const std::string& help) {
  const std::vector<std::string> lines = lines_of(help);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_LE(columns(lines[i]), cli::kHelpColumns) << lines[i];
    if (i + 1 == lines.size()) break;
    const std::string& next = lines[i + 1];
    const std::size_t begin = next.find_first_not_of(' ');
    // An option's text is in the second column; a long name has the line for itself.
    const bool goes_on = begin == 28 && lines[i].size() > begin && lines[i].substr(26, 2) == "  ";
    if (!goes_on) continue;
    const std::string word = next.substr(begin, next.find(' ', begin) - begin);
    EXPECT_GT(columns(lines[i]) + 1 + columns(word), cli::kHelpColumns) << lines[i] << "\n" << next;
  }
}

TEST(Help, OfEveryCommandFitsAScreen) {
  const Shell shell;
  for (const CommandFiles& command : commands()) {
    SCOPED_TRACE(command.program + " " + command.command);
    const auto help = [&](const std::string& flag) {
      const Outcome outcome =
          shell.run(fmt::format("\"${}\" {} {}", command.program, command.command, flag));
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return outcome.out;
    };
    const std::string brief = help("--help"), all = help("--help-all");
    EXPECT_LE(lines_of(brief).size(), cli::kHelpLines) << brief;
    EXPECT_GE(all.size(), brief.size());
    expect_whole_lines(brief);
    expect_whole_lines(all);
    const bool leaves_out = brief.find("--help-all describes ") != std::string::npos;
    EXPECT_EQ(leaves_out, lines_of(all).size() > cli::kHelpLines);
  }
}

TEST(Help, OfAMethodHasItsSettingsAlone) {
  const Shell shell;
  const Outcome outcome = shell.run("\"$runtime\" decode --help-method pld");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("--method pld: copies what followed the last n-gram\n"))
      << outcome.out;
  EXPECT_NE(outcome.out.find("\n  --ngram INT "), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("--draft-stop"), std::string::npos) << outcome.out;
  expect_whole_lines(outcome.out);
  const Outcome unknown = shell.run("\"$runtime\" decode --help-method pdl");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("runtime: --help-method: expected "), std::string::npos)
      << unknown.err;
}

}  // namespace
}  // namespace outrider::test
