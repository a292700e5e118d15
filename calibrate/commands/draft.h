#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

cli::Command add_draft(CLI::App& program);

}  // namespace outrider::calibrate
