#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data export`: writes traces for other tools.
cli::Command add_export(CLI::App& program);

}  // namespace outrider::data
