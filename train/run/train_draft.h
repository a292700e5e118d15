#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runtime/base/watch.h"
#include "train/draft/draft_objective.h"
#include "train/run/learning_options.h"
#include "train/run/run_options.h"

namespace outrider::train {

/// A training of a draft model of a few of its target's layers.
struct DraftTraining {
  RunOptions run;
  int vocab_size = 8192;  // tokens that the draft can propose
  LearningOptions learning{.loss = "kl"};
  DraftOptions draft;
  std::string start_from;  // an earlier draft, as DraftStart takes it; empty: the target's layers
};

/// Trains it in its work folder, goes on with what is there, and writes the artifact's /draft.
/// @return the artifact file; nothing for a worker that is not the first
/// @throws InputError, TryAgain, Interrupted as TrainingRun
std::optional<std::filesystem::path> train_draft(DraftTraining training, Watch& watch);

}  // namespace outrider::train
