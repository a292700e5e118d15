#pragma once

#include "train/parallelspec/parallelspec_objective.h"
#include "train/run/learning_options.h"
#include "train/run/run_options.h"

namespace outrider::train {

/// What `train parallelspec --preset` chooses.
struct ParallelSpecRecipe {
  RunOptions& run;
  ParallelSpecOptions& parallel;
  LearningOptions& learning;
  int& vocab_size;
};

/// Gives options the values of the paper (Xiao et al. 2024), and notes them in `run.recipe`: K = 4 masks and all
/// positions of a text (sections 4.1 and 5.1), the target's whole head (4.3), the plain sum over a group of smooth L1 and
/// cross-entropy with the text's own tokens (equation 4; of equation 3, whose weights of masks it leaves open, each is 1),
/// and the optimiser of its table 3: 32 texts a step. What it does not say keeps its value: the schedule of the
/// learning rate, clipping, the final norm, and that the layer begins as the target's last one.
/// What was given keeps its value.
/// @param usual  the defaults: other values, of a config file, are kept too
void use_paper_preset(Flavour flavour, const ParallelSpecRecipe& usual,
                      const ParallelSpecRecipe& options);

}  // namespace outrider::train
