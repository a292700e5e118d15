#pragma once

#include <string>
#include <vector>

#include "calibrate/gsd/gsd_trials.h"

namespace outrider::calibrate {

/// The settings of the paper's appendix A, without a budget of nodes.
inline constexpr GsdSetting kPublished = {4, {0.2, 0.3, 0}, 2, 10, 2048};

/// One axis of the paper's figure 5: settings that differ from the published ones in one value.
struct PublishedAxis {
  std::string name;
  std::vector<double> x;
  std::vector<GsdSetting> trees;   // [x]; empty where trees have no such value
  std::vector<GsdSetting> graphs;  // [x]
};
/// k from 1 to 6, tau from 1 to 5, theta_prob from 0.05 to 0.6, theta_sib from 0.1 to 0.9, as far as such trees
/// were recorded.
std::vector<PublishedAxis> published_axes(const RecordingLimits& limits);

/// Tries settings on recorded trees: every chain of a grid, the published sweep, and from several starts on
/// those that are faster when one value changes. It does so also for machines on which further rows cost a
/// quarter and four times as much as here, so that acceptance is known near their fastest settings too.
/// @return of them the fastest for each number of children and machine, all chains and the sweep
std::vector<GsdTrial> search_graphs(GsdTrials& trials, const RecordingLimits& limits,
                                    const cost::TrialPrices& prices);

/// Of trials those of tsd, or of gsd, which merges; chains are both's.
std::vector<cost::Trial> trials_by_merging(const std::vector<GsdTrial>& all, bool merges);

}  // namespace outrider::calibrate
