#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime certify`: proves on this machine that a row's bits do not depend on the other rows of a
/// pass.
cli::Command add_certify(CLI::App& program);

}  // namespace outrider
