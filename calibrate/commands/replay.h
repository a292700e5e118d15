#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate replay`: whether the replays that calibration rests on are what decoding does.
cli::Command add_replay(CLI::App& program);

}  // namespace outrider::calibrate
