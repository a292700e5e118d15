#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data inspect`: a summary of a trace store, per task.
cli::Command add_inspect(CLI::App& program);

}  // namespace outrider::data
