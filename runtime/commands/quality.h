#pragma once

#include "runtime/cli/command_line.h"

namespace outrider {

/// `runtime quality`: the cost of quantised arithmetic in perplexity and agreement, on the user's
/// own texts.
cli::Command add_quality(CLI::App& program);

}  // namespace outrider
