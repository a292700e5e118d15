#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::train {

/// `train disco`: the classifier that ends a draft model's rounds, and its threshold and longest round.
cli::Command add_disco(CLI::App& program);

}  // namespace outrider::train
