#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime export`: writes the draft model of an artifact file for other programs.
cli::Command add_export(CLI::App& program);

}  // namespace outrider
