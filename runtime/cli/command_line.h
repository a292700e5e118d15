#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/cli/command_options.h"

namespace outrider::cli {

/// One subcommand: what it takes, and what it does once the options are read.
struct Command {
  CommandOptions options;
  std::function<void()> run;
  /// Told all options as --print-config prints them, but files and folders by their names alone, before
  /// `run`; for commands that keep them with what they make.
  std::function<void(const std::string&)> resolved = {};
};

/// Declares a subcommand of the program.
using AddCommand = Command (*)(CLI::App& program);

/// The whole of a program: reads the arguments, then runs the chosen subcommand. Each value comes
/// from its flag, else from `--config FILE` (TOML, table named as the subcommand, keys as the long
/// flags), else from the bound variable. `--print-config` prints the resolved options in that form
/// and runs nothing.
///
/// @return the exit code: 0; 2 for a user's mistake (InputError, usage); 1 for a failed check and
///         for our own errors; 130 when interrupted; 0 when the reader of our output went away
int run_tool(const std::string& name, const std::string& description,
             const std::vector<AddCommand>& commands, int argc, char** argv);

}  // namespace outrider::cli
