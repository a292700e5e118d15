#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate cost`: the time of a pass by its number of new rows on this machine.
cli::Command add_cost(CLI::App& program);

}  // namespace outrider::calibrate
