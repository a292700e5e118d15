#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::calibrate {

/// `calibrate heads`: the heads that attend to the source of copied tokens, for `--method
/// pld-plus-a`.
cli::Command add_heads(CLI::App& program);

}  // namespace outrider::calibrate
