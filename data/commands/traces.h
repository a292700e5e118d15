#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data traces`: runs the target on prompts and records its answers and distributions.
cli::Command add_traces(CLI::App& program);

}  // namespace outrider::data
