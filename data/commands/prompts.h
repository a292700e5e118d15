#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data prompts`: mixes prompt files into one training file without the evaluation prompts.
cli::Command add_prompts(CLI::App& program);

}  // namespace outrider::data
