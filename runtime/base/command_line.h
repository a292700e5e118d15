#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace outrider {

/// One subcommand: what it takes, and what it does once the options are read.
struct Command {
  CLI::App* app;
  std::function<void()> run;
  /// Told all options as --print-config prints them, before `run`; for commands that keep them with
  /// what they make.
  std::function<void(const std::string&)> resolved = {};
};

/// Declares a subcommand's options on the program's app. Initial values of the bound variables are
/// the defaults that the help shows.
using AddCommand = Command (*)(CLI::App& app);

/// The whole of a program: reads the arguments, then runs the chosen subcommand. Each value comes
/// from its flag, else from `--config FILE` (TOML, table named as the subcommand, keys as the long
/// flags), else from the bound variable. `--print-config` prints the resolved options in that form
/// and runs nothing.
///
/// @return the exit code: 0; 2 for a user's mistake (InputError, usage); 1 for a failed check and
///         for our own errors; 130 when interrupted; 0 when the reader of our output went away
int run_tool(const std::string& name, const std::string& description,
             const std::vector<AddCommand>& commands, int argc, char** argv);

/// Adds an option that takes one or more texts and may be repeated. The texts arrive as given, also
/// "[a,b]", "{}" and "--", which CLI11 treats specially in options bound to a vector.
CLI::Option* add_list(CLI::App& command, const std::string& flags, std::vector<std::string>& values,
                      const std::string& description);

/// Reads what `add_list` gave as whole numbers; no words leave `numbers` as they are.
/// @throws InputError naming the flag for what is not low <= x <= high
void read_whole_numbers(const std::string& flag, const std::vector<std::string>& words, int low,
                        int high, std::vector<int>& numbers);

/// Adds an option whose empty text ('') differs from its absence.
CLI::Option* add_optional_text(CLI::App& command, const std::string& flags,
                               std::optional<std::string>& value, const std::string& description);

/// Checks that a text is one of a few; the message lists them.
CLI::Validator one_of(const std::vector<std::string>& names);

/// Checks that a number is plain decimal, finite and low <= x <= high; the message names both ends.
CLI::Validator whole_number(std::int64_t low, std::int64_t high);
CLI::Validator real_number(double low, double high);

/// The long names, without dashes, of the options given on the command line (not in a config file).
std::set<std::string> given_flags(const CLI::App& command);

}  // namespace outrider
