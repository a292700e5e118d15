#include "runtime/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <new>

#include "runtime/base/build_name.h"
#include "runtime/base/closest_name.h"
#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/try_again.h"
#include "runtime/base/watched_memory.h"
#include "runtime/cli/arguments.h"
#include "runtime/cli/config_file.h"
#include "runtime/cli/interrupt.h"

namespace outrider::cli {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUserMistake = 2;
constexpr int kTryAgain = 75;
constexpr int kInterrupted = 130;

using Words = std::vector<std::string>;

/// The flags that every command has.
struct CommonFlags {
  bool help_all = false;
  std::string help_method;
  std::string config;
  bool print_config = false;
};

void add_common_flags(CommandOptions& command, CommonFlags& flags) {
  command.app().set_help_flag("-h,--help", "Print this and exit");
  command.add_flag("--help-all", flags.help_all, "Print all options and exit").rare();
  if (command.help_notes().method_text)
    command.add_option("--help-method", flags.help_method, "Print the options of a method and exit")
        .type_name("METHOD");
  command.add_option("--config", flags.config, "Take values from a TOML file; flags override it")
      .type_name("FILE")
      .reads();
  command
      .add_flag("--print-config", flags.print_config, "Print the resolved options as TOML and exit")
      .rare();
}

Words command_names(const std::vector<Command>& commands) {
  Words names;
  for (const Command& command : commands) names.push_back(command.options.name());
  return names;
}

bool is_called(const CommandOptions& command, const std::string& name) {
  return name == command.name() || (name == command.former_name() && !name.empty());
}

TableNames table_names(const std::vector<Command>& commands) {
  TableNames names;
  for (const Command& command : commands)
    for (const std::string& name : {command.options.name(), command.options.former_name()})
      if (!name.empty()) names[name] = command.options.name();
  return names;
}

/// Runs one subcommand with the words after its name.
void run_command(const Command& command, const CommonFlags& common, const Words& words,
                 const TableNames& tables) {
  CLI::App& app = command.options.app();
  for (CLI::Option* option : app.get_options()) require_decimal(*option);
  assign_arguments(app, words);
  const HelpNotes& notes = command.options.help_notes();
  const bool all = app.get_option("--help-all")->count() > 0;
  if (all || app.get_help_ptr()->count() > 0) return write_output(help_text(app, notes, all));
  if (notes.method_text && app.get_option("--help-method")->count() > 0) {
    convert(*app.get_option("--help-method"));
    return write_output(notes.method_text(common.help_method));
  }

  CLI::Option* file = app.get_option("--config");
  ConfigValues configured;
  if (file->count() > 0) {
    convert(*file);
    configured = apply_config(app, common.config, tables);
  }
  for (CLI::Option* option : app.get_options()) {
    if (option->count() > 0) convert(*option);
  }
  if (command.earlier) apply_earlier(app, command.earlier(), configured);
  if (common.print_config) return write_output(config_text(app, notes, configured));
  check_required(app);
  command.options.check_effects();
  check_files(command.options.file_roles());
  if (command.resolved) command.resolved(config_text(app, notes, configured, PathText::kByName));
  command.run();
}

/// @throws InputError for words that another program takes now
void refuse_moved(const std::string& program, const std::vector<MovedCommand>& all,
                  const Words& words) {
  for (const MovedCommand& moved : all) {
    if (words.empty() || words.front() != moved.command) continue;
    const bool has_flag = std::find(words.begin(), words.end(), moved.flag) != words.end();
    if (!moved.flag.empty() && !has_flag) continue;
    const std::string name =
        moved.command + (moved.flag.empty() ? std::string() : " " + moved.flag);
    throw InputError(fmt::format("`{} {}` is `{} {}` now, with the same options", program, name,
                                 moved.now, name));
  }
}

/// Runs the subcommand named by the arguments.
void run_program(CLI::App& app, const std::vector<AddCommand>& add_commands,
                 const std::vector<MovedCommand>& moved, const Words& words) {
  refuse_moved(app.get_name(), moved, words);
  std::vector<Command> commands;
  for (const AddCommand add : add_commands) commands.push_back(add(app));
  // Set after adding the commands, which would inherit it.
  app.footer(fmt::format("`{} COMMAND --help` describes a command.", app.get_name()));
  std::vector<CommonFlags> common(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i)
    add_common_flags(commands[i].options, common[i]);

  const std::string first = words.empty() ? "" : words.front();
  if (first == "-h" || first == "--help") return write_output(app.help());
  if (first == "--version") {
    return write_output(fmt::format("{} {}\n", app.get_name(), code_version()));
  }
  const Words names = command_names(commands);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (is_called(commands[i].options, first)) {
      return run_command(commands[i], common[i], Words(words.begin() + 1, words.end()),
                         table_names(commands));
    }
  }
  throw InputError(fmt::format("expected a command ({}), found {}{}; `{} --help` describes them",
                               fmt::join(names, ", "),
                               first.empty() ? "none" : fmt::format("'{}'", first),
                               did_you_mean(first, names), app.get_name()));
}

}  // namespace

void run_part(const std::string& tool, AddCommand add, const std::vector<std::string>& words,
              const TimeLimit& limit) {
  CLI::App app("", tool);
  app.option_defaults()->always_capture_default();
  Command command = add(app);
  CommonFlags common;
  add_common_flags(command.options, common);
  if (command.within) command.within(limit);
  run_command(command, common, words, {{command.options.name(), command.options.name()}});
}

int run_tool(const std::string& name, const std::string& description,
             const std::vector<AddCommand>& commands, int argc, char** argv,
             const std::vector<MovedCommand>& moved) {
  open_standard_descriptors();
  // A closed pipe or a file at its size limit then fails as an error of the write, so that files
  // are finished and the reason is reported.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  report_lost_memory(name);
  const auto fail = [&name](int code, const std::string& message) {
    print_log("{}: {}\n", name, message);
    return code;
  };
  try {
    CLI::App app(description, name);
    app.set_help_flag("-h,--help", "Print this and exit");
    app.set_version_flag("--version", code_version(), "Print the version and exit");
    app.option_defaults()->always_capture_default();
    run_program(app, commands, moved, Words(argv + std::min(argc, 1), argv + argc));
    return kDone;
  } catch (const ClosedPipe&) {
    return kDone;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const InputError& error) {
    return fail(kUserMistake, error.what());
  } catch (const CheckFailed& error) {
    return fail(kFailed, error.what());
  } catch (const TryAgain& error) {
    return fail(kTryAgain, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    // A path that the user gave is a loop of links, or its name is too long.
    return fail(kUserMistake,
                fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail(kFailed, "out of memory");
  } catch (const std::exception& error) {
    return fail(kFailed, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace outrider::cli
