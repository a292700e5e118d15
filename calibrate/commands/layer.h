#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate layer`: the layer whose hidden states rank sources to copy from, for `--method
/// pld-plus-h`.
cli::Command add_layer(CLI::App& program);

}  // namespace outrider::calibrate
