#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::train {

/// `train draft`: distills a draft model of a few layers from a target's traces.
cli::Command add_draft(CLI::App& program);

/// `train parallelspec`: trains a drafter that drafts all tokens of a round in one pass.
cli::Command add_parallelspec(CLI::App& program);

/// `train disco`: the classifier that ends a draft model's rounds, and its threshold and longest round.
cli::Command add_disco(CLI::App& program);

/// `train inspect`: prints what a training run has done so far.
cli::Command add_inspect(CLI::App& program);

}  // namespace outrider::train
