#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime attribute`: how well drafts that copy say where an answer was copied from.
cli::Command add_attribute(CLI::App& program);

}  // namespace outrider
