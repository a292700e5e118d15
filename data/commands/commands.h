#pragma once

#include "runtime/cli/command_line.h"

namespace outrider::data {

/// `data traces`: runs the target on prompts and records its answers and distributions.
cli::Command add_traces(CLI::App& program);

/// `data inspect`: a summary of a trace store, per task.
cli::Command add_inspect(CLI::App& program);

/// `data verify`: checks every hash, shape, offset and value of a trace store.
cli::Command add_verify(CLI::App& program);

/// `data merge`: makes one store of what several processes made by --shard.
cli::Command add_merge(CLI::App& program);

/// `data export`: writes traces for other tools.
cli::Command add_export(CLI::App& program);

/// `data split`: divides the prompts of a store into training, validation and test.
cli::Command add_split(CLI::App& program);

/// `data prompts`: mixes prompt files into one training file without the evaluation prompts.
cli::Command add_prompts(CLI::App& program);

}  // namespace outrider::data
