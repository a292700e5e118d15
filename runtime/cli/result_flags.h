#pragma once

#include <string>

#include "runtime/cli/command_options.h"

namespace outrider::cli {

/// --artifacts of a command that writes its results to an artifact file, and reads what is stored of others.
void declare_results_flag(CommandOptions& command, std::string& artifacts);

}  // namespace outrider::cli
