#pragma once

#include <vector>

#include "train/run/training_run.h"

namespace outrider::train {

/// The tokens of a drafter's head, ascending: those of the checkpoint with --finish, else the most frequent of
/// what is trained on, with those that end a text, or with all of `earlier`; `earlier` alone if --vocab-size is not given.
/// @param earlier  of the drafter that the run starts from; nullptr: none
std::vector<Token> choose_head(const TrainingRun& run, const std::vector<Token>* earlier,
                               int vocab_size);

}  // namespace outrider::train
