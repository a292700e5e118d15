#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data split`: divides the prompts of a store into training, validation and test.
cli::Command add_split(CLI::App& program);

}  // namespace outrider::data
