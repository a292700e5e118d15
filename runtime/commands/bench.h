#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime bench --engine`: the time of a pass on this machine, and its share of the memory
/// bandwidth. `--grid` and `--stops`: drafts of every number and length, and every stop policy.
cli::Command add_bench(CLI::App& program);

}  // namespace outrider
