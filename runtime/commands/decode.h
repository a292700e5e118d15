#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime decode`: generates continuations of prompts with speculative decoding. Texts are
/// written to standard output, figures to standard error, records to the file of `--json`.
cli::Command add_decode(CLI::App& program);

}  // namespace outrider
