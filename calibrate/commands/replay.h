#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate replay`: checks that the replays used by calibration equal decoding.
cli::Command add_replay(CLI::App& program);

}  // namespace outrider::calibrate
