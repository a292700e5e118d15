#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

cli::Command add_graph(CLI::App& program);

}  // namespace outrider::calibrate
