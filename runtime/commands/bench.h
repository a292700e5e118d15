#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime bench --engine`: what a pass costs on this machine, and how far from the limit it is.
cli::Command add_bench(CLI::App& program);

}  // namespace outrider
