#include "runtime/cli/help.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "runtime/cli/command_line.h"
#include "tests/support/run_command.h"

namespace outrider::cli {
namespace {

constexpr std::size_t kNumbers = 50;

struct ManyOptions {
  std::array<int, kNumbers> numbers = {};
  std::string name;
};

/// A command whose options do not fit a screen.
Command add_long(CLI::App& program) {
  auto options = std::make_shared<ManyOptions>();
  CommandOptions command(program, "long", "Does something");
  command.add_option("--name", options->name, "What it is called, in many words that say it all")
      .brief("What it is called");
  for (std::size_t i = 0; i < kNumbers; ++i)
    command.add_option("--number-" + std::to_string(i), options->numbers[i], "One of many").rare();
  command.help_of_method([](const std::string& method) { return "of " + method + "\n"; });
  command.footer("First words\nand more words.\n\nExamples:\n  tool long --name x\n");
  return {command, [options] {}};
}

Command add_short(CLI::App& program) {
  auto options = std::make_shared<ManyOptions>();
  CommandOptions command(program, "short", "Does something");
  command.add_option("--number", options->numbers[0], "One of few").rare();
  return {command, [options] {}};
}

TEST(Help, ShowsWhatMostPeopleSetWhereAllWouldNotFitAScreen) {
  const std::string brief = test::run_command(add_long, {"long", "--help"}).out;
  EXPECT_NE(brief.find("\n  --name TEXT               What it is called\n"), std::string::npos)
      << brief;
  EXPECT_EQ(brief.find("--number-7"), std::string::npos) << brief;
  // --help-all and --print-config are rare too.
  EXPECT_NE(brief.find("\n--help-all describes 52 options more.\n"), std::string::npos) << brief;
  EXPECT_TRUE(brief.ends_with("\nFirst words and more words.\n\nExamples:\n  tool long --name x\n"))
      << brief;
  const std::string all = test::run_command(add_long, {"long", "--help-all"}).out;
  EXPECT_NE(all.find("What it is called, in many words that say it all"), std::string::npos) << all;
  EXPECT_NE(all.find("--number-7 INT=0"), std::string::npos) << all;
  EXPECT_EQ(all.find("--help-all describes"), std::string::npos) << all;
}

TEST(Help, ShowsAllThatFits) {
  const std::string help = test::run_command(add_short, {"short", "--help"}).out;
  EXPECT_NE(help.find("--number INT=0"), std::string::npos) << help;
  EXPECT_EQ(test::run_command(add_short, {"short", "--help-all"}).out, help);
  EXPECT_EQ(help.find("--help-method"), std::string::npos) << help;
}

TEST(Help, OfAMethodIsTheCommandsOwn) {
  EXPECT_EQ(test::run_command(add_long, {"long", "--help-method", "pld"}).out, "of pld\n");
}

TEST(Help, WrapsParagraphsAndKeepsLinesThatBeginWithSpaces) {
  const std::string words = "word word word word word word word word word word word word word word";
  EXPECT_EQ(wrapped(words + "\nword word word\n\n  kept\n"),
            words + " word word\nword\n\n  kept\n");
  // A command that is too long goes on in the next line.
  EXPECT_EQ(wrapped("  tool " + words + " last words\n"),
            "  tool " + words + " \\\n      last words\n");
  EXPECT_EQ(wrapped(""), "");
}

}  // namespace
}  // namespace outrider::cli
