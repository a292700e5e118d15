#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::train {

/// `train draft`: distills a draft model of a few layers from a target's traces.
cli::Command add_draft(CLI::App& program);

}  // namespace outrider::train
