#include "calibrate/gsd/gsd_trials.h"

#include <algorithm>

namespace outrider::calibrate {

GsdTrials::GsdTrials(std::vector<RecordedStretch>& stretches, draft::NodeRanking& ranking)
    : KnownTrials([&stretches, &ranking](GsdTrial& trial) {
        GsdReplay replay(trial.setting, ranking);
        for (RecordedStretch& stretch : stretches) replay.run(stretch, trial);
      }),
      stretches_(stretches) {}

std::int64_t GsdTrials::positions() const {
  std::int64_t sum = 0;
  for (const RecordedStretch& stretch : stretches_) sum += std::ssize(stretch.trees);
  return sum;
}

std::int64_t GsdTrials::cut() const {
  std::int64_t sum = 0;
  for (const RecordedStretch& stretch : stretches_)
    sum += std::count_if(stretch.trees.begin(), stretch.trees.end(),
                         [](const RecordedTree& tree) { return tree.is_cut; });
  return sum;
}

}  // namespace outrider::calibrate
