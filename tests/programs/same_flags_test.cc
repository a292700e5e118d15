// Flags that every command of a kind has: of long work --minutes, of a model where and how it is computed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/programs/command_files.h"
#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

using Flags = std::set<std::string>;

/// The long names that the help of every command lists, by "program command".
std::map<std::string, Flags> flags_of_all_commands() {
  static const std::regex option(R"(\n  (?:-\w,)?--([a-z-]+))");
  const Shell shell;
  std::map<std::string, Flags> all;
  for (const CommandFiles& command : commands()) {
    const Outcome help =
        shell.run(fmt::format("\"${}\" {} --help-all", command.program, command.command));
    EXPECT_EQ(help.status, 0) << help.err;
    Flags& found = all[command.program + " " + command.command];
    for (std::sregex_iterator i(help.out.begin(), help.out.end(), option), end; i != end; ++i)
      found.insert((*i)[1]);
  }
  return all;
}

/// Those of `expected` that a command lacks.
Flags lacking(const Flags& found, const Flags& expected) {
  Flags lacking;
  for (const std::string& flag : expected)
    if (!found.contains(flag)) lacking.insert(flag);
  return lacking;
}

TEST(SameFlags, EveryCalibrationAndTrainingKeepsToItsMinutes) {
  const std::map<std::string, std::string> without = {{"calibrate plot", "draws what is stored"},
                                                      {"calibrate merge", "puts files together"},
                                                      {"calibrate stops", "summarises files"},
                                                      {"train inspect", "reads a checkpoint"}};
  std::size_t excused = 0;
  for (const auto& [command, flags] : flags_of_all_commands()) {
    if (!command.starts_with("calibrate ") && !command.starts_with("train ")) continue;
    const auto reason = without.find(command);
    if (reason != without.end()) ++excused;
    EXPECT_EQ(flags.contains("minutes"), reason == without.end())
        << command << (reason == without.end() ? " needs --minutes" : ": " + reason->second);
  }
  EXPECT_EQ(excused, without.size() - (Shell::has_train() ? 0 : 1)) << "a command that is no more";
}

TEST(SameFlags, EveryCommandThatComputesAModelHasTheModelsFlags) {
  const Flags computes = {"ctx", "device", "threads", "numerics", "quantise", "kv", "isa"};
  const Flags how = {"numerics", "quantise", "kv", "isa"};
  Flags but_quantise = how;
  but_quantise.erase("quantise");
  Flags all_but_context = computes;
  all_but_context.erase("ctx");
  struct Excused {
    Flags flags;
    std::string reason;
  };
  const std::map<std::string, Excused> without = {
      {"runtime tokenize", {computes, "reads the vocabulary alone"}},
      {"runtime export", {all_but_context, "computes nothing of it"}},
      {"calibrate pair-counts", {all_but_context, "computes nothing of it"}},
      {"calibrate plot", {all_but_context, "computes nothing of it"}},
      {"data verify", {{"ctx", "numerics", "quantise", "kv", "isa"}, "the store says how"}},
      {"train draft", {but_quantise, "the traces say how"}},
      {"train parallelspec", {but_quantise, "the traces say how"}}};
  std::size_t tried = 0;
  for (const auto& [command, flags] : flags_of_all_commands()) {
    if (!flags.contains("model")) continue;
    ++tried;
    const auto excused = without.find(command);
    EXPECT_EQ(lacking(flags, computes), excused == without.end() ? Flags() : excused->second.flags)
        << command << (excused == without.end() ? "" : ": " + excused->second.reason);
  }
  EXPECT_GT(tried, 20U);
}

// What answers prompts has all that says how they become text.
TEST(SameFlags, EveryCommandThatAnswersPromptsHasTheTemplatesFlags) {
  const Flags template_flags = {"chat", "template-arg", "today", "no-thinking"};
  Flags of_prompts = template_flags;
  of_prompts.insert({"system", "skip-refused"});
  for (const auto& [command, flags] : flags_of_all_commands()) {
    const bool answers = flags.contains("model") && flags.contains("prompts");
    if (!answers && !flags.contains("chat")) continue;
    EXPECT_EQ(lacking(flags, answers ? of_prompts : template_flags), Flags()) << command;
  }
}

}  // namespace
}  // namespace outrider::test
