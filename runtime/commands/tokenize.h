#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime tokenize`: text to token ids and back, one text or a whole file of prompts.
cli::Command add_tokenize(CLI::App& program);

}  // namespace outrider
