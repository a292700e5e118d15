#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data traces`: runs the target over prompts and records what it does.
cli::Command add_traces(CLI::App& program);

}  // namespace outrider::data
