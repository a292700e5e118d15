#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime inspect FILE`: prints the contents of a model file.
cli::Command add_inspect(CLI::App& program);

}  // namespace outrider
