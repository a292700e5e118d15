#include "calibrate/commands/printed_result.h"

namespace outrider::calibrate {

void declare_json_flag(cli::CommandOptions& command, PrintedResult& result,
                       const std::string& description) {
  command.add_option("--json", result.json, description).type_name("FILE").writes();
}

void declare_end_flags(cli::CommandOptions& command, PrintedResult& result) {
  cli::declare_minutes_flag(command, result.minutes);
  command.add_flag("--quiet", result.quiet, "No progress on standard error");
}

}  // namespace outrider::calibrate
