#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data verify`: checks every hash, shape, offset and value of a trace store.
cli::Command add_verify(CLI::App& program);

}  // namespace outrider::data
