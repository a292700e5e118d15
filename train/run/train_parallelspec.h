#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/base/watch.h"
#include "train/parallelspec/parallelspec_objective.h"
#include "train/run/export_options.h"
#include "train/run/learning_options.h"
#include "train/run/run_options.h"

namespace outrider::train {

/// A training of a drafter that drafts all tokens of a round in one pass, or of one that it is compared with.
struct ParallelSpecTraining {
  RunOptions run;
  std::string cache;               // folder that keeps the target's states; empty: none
  bool cache_only = false;         // only fills it
  std::string preset = "default";  // or "paper", for what was not given
  int vocab_size = 8192;           // tokens that the drafter can propose
  /// Of the result: own, stored with it, target, read from the target's file, or auto: target unless
  /// its rows are larger there.
  std::string head = "auto";
  LearningOptions learning{.loss = "hard"};
  ParallelSpecOptions parallel;
  std::string
      start_from;  // an earlier drafter, as ParallelSpecStart takes it; empty: the target's layer
  ExportOptions exported;

  /// Whether the drafter is for another program, and not for the runtime.
  bool is_export() const {
    return parallel.shape.flavour == Flavour::kEagle && !exported.shape.empty();
  }

  ParallelSpecTraining();
};

/// Trains it in its work folder, goes on with what is there, and writes the artifact's group of its flavour, or the folder
/// of a drafter for export.
/// @return that file or folder; nothing where none is written: with `cache_only`, for export without a folder, and for a
///         worker that is not the first
/// @throws InputError, TryAgain, Interrupted as TrainingRun
std::optional<std::filesystem::path> train_parallelspec(ParallelSpecTraining training,
                                                        Watch& watch);

}  // namespace outrider::train
