#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data inspect`: what a trace store holds, per task.
cli::Command add_inspect(CLI::App& program);

}  // namespace outrider::data
