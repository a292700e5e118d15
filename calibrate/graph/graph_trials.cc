#include "calibrate/graph/graph_trials.h"

#include <algorithm>

namespace outrider::calibrate {

GraphTrials::GraphTrials(std::vector<RecordedStretch>& stretches, draft::NodeRanking& ranking)
    : KnownTrials([&stretches, &ranking](GraphTrial& trial) {
        GraphReplay replay(trial.setting, ranking);
        for (RecordedStretch& stretch : stretches) replay.run(stretch, trial);
      }),
      stretches_(stretches) {}

std::int64_t GraphTrials::positions() const {
  std::int64_t sum = 0;
  for (const RecordedStretch& stretch : stretches_) sum += std::ssize(stretch.trees);
  return sum;
}

std::int64_t GraphTrials::cut() const {
  std::int64_t sum = 0;
  for (const RecordedStretch& stretch : stretches_)
    sum += std::count_if(stretch.trees.begin(), stretch.trees.end(),
                         [](const RecordedTree& tree) { return tree.is_cut; });
  return sum;
}

}  // namespace outrider::calibrate
