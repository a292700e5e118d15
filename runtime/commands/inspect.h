#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime inspect FILE`: prints what a model file holds.
cli::Command add_inspect(CLI::App& program);

}  // namespace outrider
