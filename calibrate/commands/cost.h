#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate cost`: what a pass over some new rows costs on this machine.
cli::Command add_cost(CLI::App& program);

}  // namespace outrider::calibrate
