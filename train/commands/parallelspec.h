#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::train {

/// `train parallelspec`: trains a drafter that drafts all tokens of a round in one pass.
cli::Command add_parallelspec(CLI::App& program);

}  // namespace outrider::train
