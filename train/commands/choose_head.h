#pragma once

#include <optional>
#include <vector>

#include "train/commands/training_run.h"

namespace outrider::train {

/// The tokens of a drafter's head, ascending: those of the checkpoint with --finish; `earlier` where that is
/// all that is asked for; else `earlier` (a text's ends if there is none) and the most frequent of what is
/// trained on.
/// @param earlier     of the drafter that the run starts from; nothing: none
/// @param vocab_size  nothing: as many as `earlier` has
std::vector<Token> choose_head(const TrainingRun& run, bool finish,
                               const std::optional<std::vector<Token>>& earlier,
                               std::optional<int> vocab_size);

}  // namespace outrider::train
