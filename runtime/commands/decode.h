#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime decode`: continues prompts with the target's own choices, drafting ahead. Texts go to standard
/// output, figures to standard error, records to the file of `--json`.
cli::Command add_decode(CLI::App& program);

}  // namespace outrider
