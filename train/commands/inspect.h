#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::train {

/// `train inspect`: prints what a training run has done so far.
cli::Command add_inspect(CLI::App& program);

}  // namespace outrider::train
