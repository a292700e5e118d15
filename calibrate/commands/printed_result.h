#pragma once

#include <memory>
#include <set>
#include <string>

#include "runtime/cli/command_line.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cli/time_limit.h"

namespace outrider::calibrate {

/// The options of commands that print what they find.
struct PrintedResult {
  std::string json;
  double minutes = 0;  // that a command may take before it is interrupted; 0: any
  bool quiet = false;
  std::set<std::string> given;  // long names of the flags on the command line
  std::string resolved;         // all options as TOML
};

/// Declares --json. @param description  what is written
void declare_json_flag(cli::CommandOptions& command, PrintedResult& result,
                       const std::string& description);
/// Declares --minutes and --quiet.
void declare_end_flags(cli::CommandOptions& command, PrintedResult& result);

/// A command that tells of its work, prints what it finds and is interrupted after its minutes.
/// @param options  with a member `result`
/// @param run      (options, watch)
template <typename Options, typename Run>
cli::Command printing_command(const cli::CommandOptions& command,
                              const std::shared_ptr<Options>& options, Run run) {
  return {command,
          [options, command, run] {
            options->result.given = command.given();
            const cli::TimeLimit limit(options->result.minutes);
            cli::keep_to(limit, [&] {
              cli::ShownWatch watch("calibrate " + command.name(), limit, options->result.quiet);
              run(*options, watch);
            });
          },
          [options](const std::string& resolved) { options->result.resolved = resolved; }};
}

}  // namespace outrider::calibrate
