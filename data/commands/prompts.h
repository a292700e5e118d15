#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data prompts`: mixes prompt files into one to train on, without what is measured on.
cli::Command add_prompts(CLI::App& program);

}  // namespace outrider::data
