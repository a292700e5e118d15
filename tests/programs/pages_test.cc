// The commands that the pages show are accepted by the programs, their scripts are there, and so is what they link to.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/programs/shell.h"
#include "tests/support/source_path.h"

namespace outrider {
namespace {

using test::Outcome;
using test::Shell;

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> found = {test::source_path("README.md"),
                                              test::source_path("CONTRIBUTING.md")};
  for (const char* folder :
       {"runtime", "data", "calibrate", "train", "tests", "checkpoints", "docs", "results"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::source_path(folder)))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

/// The commands in the indented lines of a page, each on one line and without its comment.
std::vector<std::string> commands_in(const std::filesystem::path& page) {
  static const std::regex command(
      "    ((runtime|data|calibrate|train|scripts/\\w+) .*|scripts/\\w+)");
  std::ifstream file(page);
  std::vector<std::string> commands;
  for (std::string line; std::getline(file, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, command)) continue;
    std::string text = parts[1];
    for (std::string more; text.ends_with('\\') && std::getline(file, more);) {
      text.pop_back();
      text += more;
    }
    commands.push_back(std::regex_replace(text, std::regex("\\s+#.*"), ""));
  }
  return commands;
}

TEST(Pages, ShowCommandsThatAreAccepted) {
  const Shell shell;
  int accepted = 0;
  for (const std::filesystem::path& page : pages()) {
    for (std::string command : commands_in(page)) {
      const std::string program = command.substr(0, command.find(' '));
      if (program.rfind("scripts/", 0) == 0) {
        EXPECT_TRUE(std::filesystem::exists(test::source_path(program))) << page << ": " << command;
        continue;
      }
      const bool is_outline = command.find('(') != std::string::npos;
      if (is_outline || (program == "train" && !Shell::has_train())) continue;
      command = command.substr(0, command.find(" > "));
      const Outcome outcome = shell.run("MODEL=$tiny; SMALL=$tiny; \"$" + program + "\"" +
                                        command.substr(program.size()) + " --print-config");
      EXPECT_EQ(outcome.status, 0) << page << ": " << command << "\n" << outcome.err;
      ++accepted;
    }
  }
  EXPECT_GT(accepted, 40);
}

TEST(Pages, LinkToWhatIsThere) {
  static const std::regex link(R"(\]\(([^)#\s]+))");
  int followed = 0;
  for (const std::filesystem::path& page : pages()) {
    std::ifstream file(page);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (target.rfind("http", 0) == 0) continue;
      EXPECT_TRUE(std::filesystem::exists(page.parent_path() / target)) << page << ": " << target;
      ++followed;
    }
  }
  EXPECT_GT(followed, 40);
}

}  // namespace
}  // namespace outrider
