#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime attribute`: how well copied drafts attribute an answer to its sources.
cli::Command add_attribute(CLI::App& program);

}  // namespace outrider
