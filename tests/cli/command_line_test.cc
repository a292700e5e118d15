#include "runtime/cli/command_line.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/cli/interrupt.h"

namespace outrider::cli {
namespace {

struct Options {
  std::string text = "x";
  std::optional<std::string> system;
  std::vector<std::string> stops;
  std::string file = "there/is/one.txt";
  std::string folder;
  std::vector<std::string> files;
  int count = 3;
  double heat = 0.5;
  bool quiet = false;
};

// What the last run saw; commands are plain functions, so the test looks here.
Options seen;
std::set<std::string> given_flags;
std::string resolved;
std::string earlier;  // what an earlier run was given
void (*behave)() = [] {};

Command add_demo(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CommandOptions command(program, "demo", "A demonstration");
  command.formerly("show");
  command.add_option("-t,--text", options->text, "Text").required();
  command.add_option("--system", options->system, "System");
  command.add_list("--stop", options->stops, "Stop texts");
  command.add_option("-n,--count", options->count, "Count").check(whole_number(1, 100));
  command.add_option("--heat", options->heat, "Heat").check(real_number(0, 2));
  command.add_option("--file", options->file, "File").type_name("FILE");
  command.add_option("--folder", options->folder, "Folder").type_name("FOLDER");
  command.add_list("--files", options->files, "Files").type_name("FILE...");
  command.add_flag("--quiet", options->quiet, "Quiet");
  command.refuse_unless(
      {"system", "stop"}, [options] { return options->text != "none"; }, "not with --text none");
  return {command,
          [options, command] {
            seen = *options;
            given_flags = command.given();
            behave();
          },
          [](const std::string& text) { resolved = text; },
          {},
          [] { return earlier; }};
}

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome run(std::vector<std::string> words) {
  seen = {};
  given_flags = {};
  words.insert(words.begin(), "tool");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code =
      run_tool("tool", "A tool", {add_demo}, static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) / "command_line_test.toml") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Outcome run_with_config(const std::string& text, std::vector<std::string> words = {}) {
  const ConfigFile file(text);
  words.insert(words.begin(), {"demo", "--config", file.path()});
  return run(words);
}

TEST(CommandLine, ReadsLongAndShortFlagsInEveryForm) {
  EXPECT_EQ(run({"demo", "--text=a", "-n8", "--heat", "1.5", "--quiet"}).code, 0);
  EXPECT_EQ(seen.text, "a");
  EXPECT_EQ(seen.count, 8);
  EXPECT_EQ(seen.heat, 1.5);
  EXPECT_TRUE(seen.quiet);
  EXPECT_EQ(given_flags, (std::set<std::string>{"text", "count", "heat", "quiet"}));
}

TEST(CommandLine, RefusesWhatHasNoEffect) {
  for (const std::string flag : {"--system", "--stop"}) {
    EXPECT_EQ(run({"demo", "-t", "some", flag, "x"}).code, 0);
    const Outcome outcome = run({"demo", flag, "x", "-t", "none"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "tool: " + flag + ": not with --text none\n");
  }
  // A config file may list every option.
  EXPECT_EQ(run_with_config("[demo]\nsystem = 'x'\ntext = 'none'\n").code, 0);
  EXPECT_EQ(run_with_config("[demo]\ntext = 'none'\n", {"--stop", "x"}).code, 2);
}

TEST(CommandLine, TakesTextsLiterally) {
  for (const std::string text :
       {"[INST]", "[a,b]", "{}", "--", "-5", "--text", "", "=", "%%", "a\nb"}) {
    EXPECT_EQ(run({"demo", "-t", text, "--stop", text, "--stop", "z"}).code, 0) << text;
    EXPECT_EQ(seen.text, text);
    EXPECT_EQ(seen.stops, (std::vector<std::string>{text, "z"}));
    EXPECT_EQ(run({"demo", "--text=" + text, "--stop=" + text, "--system=" + text}).code, 0)
        << text;
    EXPECT_EQ(seen.text, text);
    EXPECT_EQ(seen.stops, std::vector<std::string>{text});
    EXPECT_EQ(seen.system, text);
  }
}

TEST(CommandLine, AListGoesOnUntilTheNextFlag) {
  EXPECT_EQ(run({"demo", "--stop", "a", "-5", "demo", "--stop", "c", "-t", "x"}).code, 0);
  EXPECT_EQ(seen.stops, (std::vector<std::string>{"a", "-5", "demo", "c"}));
}

TEST(CommandLine, TellsAnEmptyTextFromNone) {
  run({"demo", "-t", "x"});
  EXPECT_FALSE(seen.system.has_value());
  run({"demo", "-t", "x", "--system", ""});
  EXPECT_EQ(seen.system, "");
}

TEST(CommandLine, RefusesNumbersOutsideTheirRangeByNameWithTheRange) {
  for (const std::string value :
       {"0", "101", "-1", "1e1", "0x10", "nan", "9999999999999999999", "", "8 ", "1.0"}) {
    const Outcome outcome = run({"demo", "-t", "x", "--count", value});
    EXPECT_EQ(outcome.code, 2) << value;
    EXPECT_EQ(outcome.err,
              "tool: --count: expected a whole number from 1 to 100, found '" + value + "'\n");
  }
  for (const std::string value : {"nan", "inf", "-0.1", "2.1", "0x1p0", "1e999", "warm"}) {
    const Outcome outcome = run({"demo", "-t", "x", "--heat", value});
    EXPECT_EQ(outcome.code, 2) << value;
    EXPECT_EQ(outcome.err, "tool: --heat: expected a number from 0 to 2, found '" + value + "'\n");
  }
}

TEST(CommandLine, NamesWhatIsWrongWithTheArguments) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "expected a command (demo), found none"},
      {{"dem"}, "found 'dem' (did you mean demo?)"},
      {{"demo"}, "--text is required"},
      {{"demo", "-t"}, "-t: expected a value after it, found none"},
      {{"demo", "--tex", "a"}, "unknown flag --tex (did you mean --text?)"},
      {{"demo", "-x"}, "unknown flag -x"},
      {{"demo", "-t", "a", "-t", "b"}, "--text: given more than once"},
      {{"demo", "-t", "a", "b"}, "'b' was not expected"},
      {{"demo", "-t", "a", "--quiet=perhaps"}, "--quiet: expected true or false, found 'perhaps'"},
  };
  for (const auto& [words, message] : cases) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(CommandLine, HelpShowsFlagsAndDefaultsOnStandardOutput) {
  const Outcome outcome = run({"demo", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("--count"), std::string::npos);
  EXPECT_NE(outcome.out.find("FLOAT=0.5"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("tool demo"), std::string::npos) << outcome.out;
  EXPECT_EQ(run({"--version"}).out.rfind("tool 0.2.0, commit ", 0), 0u);
  EXPECT_NE(run({"--help"}).out.find("A demonstration"), std::string::npos);
}

TEST(CommandLine, TurnsExceptionsIntoExitCodes) {
  const std::vector<std::pair<void (*)(), int>> cases = {
      {[] { throw InputError("bad"); }, 2}, {[] { throw CheckFailed("bad"); }, 1},
      {[] { throw Interrupted(); }, 130},   {[] { throw ClosedPipe(); }, 0},
      {[] { throw std::bad_alloc(); }, 1},  {[] { throw std::logic_error("bad"); }, 1},
  };
  for (const auto& [action, code] : cases) {
    behave = action;
    EXPECT_EQ(run({"demo", "-t", "x"}).code, code);
  }
  behave = [] {};
}

TEST(FormerNames, RunTheCommandAndNoHelpShowsThem) {
  EXPECT_EQ(run({"show", "-t", "a"}).code, 0);
  EXPECT_EQ(seen.text, "a");
  EXPECT_EQ(run({"show", "--help"}).out, run({"demo", "--help"}).out);
  EXPECT_EQ(run({"--help"}).out.find("show"), std::string::npos);
  EXPECT_EQ(run({"", "-t", "a"}).code, 2);
  EXPECT_NE(run({"", "-t", "a"}).err.find("expected a command (demo)"), std::string::npos);
}

TEST(FormerNames, NameTablesOfConfigFiles) {
  EXPECT_EQ(run_with_config("[show]\ntext = \"a\"\n").code, 0);
  EXPECT_EQ(seen.text, "a");
  const Outcome refused = run_with_config("[show]\ntext = \"a\"\n[demo]\ntext = \"b\"\n");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("is a second table of `demo`; keep one"), std::string::npos)
      << refused.err;
}

TEST(ConfigFile, FlagsGoBeforeTheFileAndTheFileBeforeTheDefaults) {
  const std::string file =
      "[demo]\ntext = 'f'\ncount = 7\nheat = 1\nstop = ['[a,b]', '{}']\nquiet = true\n";
  EXPECT_EQ(run_with_config(file, {"-n", "9"}).code, 0);
  EXPECT_EQ(seen.text, "f");
  EXPECT_EQ(seen.count, 9);
  EXPECT_EQ(seen.heat, 1);
  EXPECT_TRUE(seen.quiet);
  EXPECT_EQ(seen.stops, (std::vector<std::string>{"[a,b]", "{}"}));
  EXPECT_FALSE(given_flags.count("text"));
  EXPECT_TRUE(given_flags.count("count"));
  run_with_config(file, {"--stop", "z", "--quiet=false"});
  EXPECT_EQ(seen.stops, std::vector<std::string>{"z"});
  EXPECT_FALSE(seen.quiet);
}

TEST(ConfigFile, NamesFileLineAndKeyOfAMistake) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[demo]\ncuont = 3\n", ":2: cuont: unknown key (did you mean count?)"},
      {"[demo]\n\ncount = 'a'\n", ":3: count: expected a number, found string"},
      {"[demo]\ncount = 0\n", ":2: count: expected a whole number from 1 to 100, found '0'"},
      {"[demo]\ncount = 1.5\n", ":2: count: expected a whole number from 1 to 100, found '1.5'"},
      {"[demo]\nheat = nan\n", ":2: heat: expected a number from 0 to 2, found 'nan'"},
      {"[demo]\ntext = 3\n", ":2: text: expected a text in quotes, found integer"},
      {"[demo]\nquiet = 1\n", ":2: quiet: expected true or false, found integer"},
      {"[demo]\nstop = ['a', 1]\n", ":2: stop: expected a text in quotes, found integer"},
      {"[demo]\ntext = ['a']\n", ":2: text: expected a text in quotes, found array"},
      {"[demo]\nhelp = true\n", ":2: help: unknown key"},
      {"[demos]\n", ":1: demos: expected a table named as a command (demo)"},
      {"count = 3\n", ":1: count: expected a table named as a command"},
      {"", "has no table [demo]"},
      {"[demo]\ncount = \n", ":2: not TOML"},
  };
  for (const auto& [text, message] : cases) {
    const Outcome outcome = run_with_config(text, {"-t", "x"});
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_NE(
        outcome.err.find("command_line_test.toml" + (message[0] == ':' ? message : ": " + message)),
        std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(run({"demo", "--config", "/absent.toml"}).err,
            "tool: /absent.toml: No such file or directory\n");
  EXPECT_EQ(run({"demo", "--config", "/"}).err, "tool: /: Is a directory\n");
}

TEST(ConfigFile, WhatPrintConfigPrintsMakesTheSameRun) {
  const std::string odd = "quote \" backslash \\ tab \t newline \n bell \a unicode ž 🙂 [a,b]";
  const Outcome printed =
      run({"demo", "--print-config", "--text=" + odd, "--stop", odd, "--stop=--", "--stop", "[END]",
           "--heat", "+.1", "-n", "+5", "--system="});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(run_with_config(printed.out, {"--print-config"}).out, printed.out);
  EXPECT_EQ(run_with_config(printed.out).code, 0);
  EXPECT_EQ(seen.text, odd);
  EXPECT_EQ(seen.stops, (std::vector<std::string>{odd, "--", "[END]"}));
  EXPECT_EQ(seen.heat, 0.1);
  EXPECT_EQ(seen.count, 5);
  EXPECT_EQ(seen.system, "");
}

TEST(ConfigFile, PrintConfigOfDefaultsRunsNothingAndNeedsNothing) {
  const Outcome outcome = run({"demo", "--print-config"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            "[demo]\ntext = \"x\"\n# system =\nstop = []\ncount = 3\nheat = 0.5\nfile = "
            "\"there/is/one.txt\"\n# folder =\nfiles = []\nquiet = false\n");
}

TEST(ConfigFile, ACommandIsToldItsOptionsWithPathsByName) {
  const Outcome outcome =
      run({"demo", "-t", "a/b", "--folder", "/x/y/", "--files", "c/d", "../e", "f"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(resolved,
            "[demo]\ntext = \"a/b\"\n# system =\nstop = []\ncount = 3\nheat = 0.5\nfile = "
            "\"one.txt\"\nfolder = \"y\"\nfiles = [\"d\", \"e\", \"f\"]\nquiet = false\n");
  EXPECT_EQ(seen.folder, "/x/y/");
  run({"demo", "-t", "t", "--folder", "x/a\xff"});
  EXPECT_EQ(seen.folder, "x/a\xff");
  EXPECT_NE(resolved.find("folder = \"a\uFFFD\""), std::string::npos) << resolved;
}

TEST(EarlierRun, GivesOptionsThatNothingElseGives) {
  earlier =
      "[demo]\ntext = \"before\"\nstop = [\"a\", \"b\"]\ncount = 7\nheat = 0.25\nfile = "
      "\"name.txt\"\nquiet = true\ngone = 3\n# system =\n";
  EXPECT_EQ(run({"demo", "--heat", "1"}).code, 0);  // --text is required
  EXPECT_EQ(seen.text, "before");
  EXPECT_EQ(seen.stops, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(seen.count, 7);
  EXPECT_EQ(seen.heat, 1);
  EXPECT_EQ(seen.file, "there/is/one.txt");  // a record has no folders
  EXPECT_TRUE(seen.quiet);
  EXPECT_EQ(given_flags, std::set<std::string>{"heat"});
  EXPECT_NE(resolved.find("count = 7\nheat = 1\n"), std::string::npos) << resolved;
  EXPECT_EQ(run_with_config("[demo]\ncount = 9\n").code, 0);
  EXPECT_EQ(seen.count, 9);
  EXPECT_EQ(seen.heat, 0.25);
  earlier = "[other]\ncount = 7\n";
  EXPECT_EQ(run({"demo", "-t", "x"}).code, 0);
  EXPECT_EQ(seen.count, 3);
  earlier = "[demo]\ncount = 700\n";
  EXPECT_EQ(run({"demo", "-t", "x"}).err,
            "tool: the options of an earlier run:2: count: expected a whole number from 1 to 100, "
            "found '700'\n");
  earlier.clear();
}

}  // namespace
}  // namespace outrider::cli
