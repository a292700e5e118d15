#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/cli/command_options.h"
#include "runtime/cli/time_limit.h"

namespace outrider::cli {

/// One subcommand: its options, and the function that runs it.
struct Command {
  CommandOptions options;
  std::function<void()> run;
  /// Called before `run` with all options in the form of --print-config, but files and folders by
  /// name only; for commands that record their options.
  std::function<void(const std::string&)> resolved = {};
  /// Called before `run` where it does a part of another command, whose time it has to keep to.
  std::function<void(const TimeLimit&)> within = {};
  /// Called once options have their values: the options of an earlier run, as `resolved` was handed
  /// them, whose values options take that have none of the command line or a file; empty: none.
  std::function<std::string()> earlier = {};
};

/// Declares a subcommand of the program.
using AddCommand = Command (*)(CLI::App& program);

/// A command, or one of its flags, that another program has now.
struct MovedCommand {
  std::string command;  // as it was called here
  std::string flag;     // one of these words makes it another program's; empty: it always is
  std::string now;      // the program that has it: "calibrate"
};

/// Runs a subcommand as a part of another, with the words that would follow its name.
/// @param tool   the program's name
/// @param limit  of the whole
/// @throws whatever the command throws
void run_part(const std::string& tool, AddCommand add, const std::vector<std::string>& words,
              const TimeLimit& limit = TimeLimit());

/// Parses the arguments and runs the chosen subcommand: the main function of a program. Each value
/// comes from its flag, otherwise from `--config FILE` (TOML, table named after the subcommand,
/// keys named after the long flags), otherwise from the bound variable. `--print-config` prints the
/// resolved options in that form and runs nothing.
///
/// @param moved  refused with the name of the program that has them now
/// @return the exit code: 0; 2 for a user's mistake (InputError, usage); 1 for a failed check or an
///         internal error; 75 where the same command may succeed later (TryAgain); 130 when interrupted; 0 when the reader of the output closed it
int run_tool(const std::string& name, const std::string& description,
             const std::vector<AddCommand>& commands, int argc, char** argv,
             const std::vector<MovedCommand>& moved = {});

}  // namespace outrider::cli
