#pragma once

#include <vector>

#include "calibrate/parallelspec/parallelspec_trial.h"
#include "calibrate/parallelspec/recorded_levels.h"
#include "calibrate/trials/known_trials.h"
#include "runtime/draft/parallelspec/parallelspec_model.h"

namespace outrider::calibrate {

/// What is tried.
struct ParallelSpecLimits {
  int depths = 1;    // as many as were recorded, at most
  int children = 1;  // of a node, likewise
  int nodes = 64;    // of a tree
};

using ParallelSpecTrials = KnownTrials<ParallelSpecTrial>;

/// Trials on recorded depths. @param recorded, model  must outlive them
ParallelSpecTrials trials_on(const std::vector<RecordedLevels>& recorded,
                             const draft::ParallelSpecModel& model);

/// Trees from a single token on, each with one child a node more at one depth than the one before, or one depth
/// more: what gives the most tokens a pass for each further node that is verified. It depends on the texts and the two
/// models only; on which of them it is best to stop, on the costs.
/// @param threshold  of all of them
std::vector<draft::LevelShape> expand_greedily(ParallelSpecTrials& trials,
                                               const ParallelSpecLimits& limits, double threshold);

/// Tries every chain of a grid, greedy expansion with several thresholds, trees of the best nodes of a grid, and from the
/// fastest of each on what is faster when one value changes. It does so also for machines on which further rows cost a quarter and four times as much as
/// here, so that acceptance is known near their fastest trees too.
/// @return of them all chains, the greedy expansions and the fastest trees for each of these machines, of the best nodes
///         also the fastest of each number
std::vector<cost::Trial> search_trees(ParallelSpecTrials& trials, const ParallelSpecLimits& limits,
                                      const cost::TrialPrices& prices);

}  // namespace outrider::calibrate
