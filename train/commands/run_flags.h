#pragma once

#include <string>

#include "runtime/cli/engine_flags.h"
#include "train/run/learning_options.h"
#include "train/run/run_options.h"

namespace outrider::cli {
class CommandOptions;
}

namespace outrider::train {

inline constexpr int kMostLayers = 1 << 20;  // a larger number of one is taken for a mistake

/// What the flags of a run say besides its options.
struct RunFlags {
  cli::EngineFlags engine;
  bool quiet = false;

  /// Fills in what options have of these, and which were given.
  void complete(const cli::CommandOptions& command, RunOptions& run) const;
};

/// The options of the run in --work; empty before its first checkpoint.
std::string earlier_options(const RunOptions& run);

/// Declares --model to --validation-traces.
void declare_data_flags(cli::CommandOptions& command, RunOptions& run);
/// --loss, --hard-share, --max-context, --precision and --quantise
void declare_learning_flags(cli::CommandOptions& command, LearningOptions& learning);
/// --steps to --seed
void declare_training_flags(cli::CommandOptions& command, RunOptions& run);
/// --work to --quiet
void declare_run_flags(cli::CommandOptions& command, RunOptions& run, RunFlags& flags);

}  // namespace outrider::train
