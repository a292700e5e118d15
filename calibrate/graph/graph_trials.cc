#include "calibrate/graph/graph_trials.h"

#include <algorithm>
#include <utility>

#include "runtime/base/interrupt.h"

namespace outrider::calibrate {

GraphTrials::GraphTrials(std::vector<RecordedStretch>& stretches, draft::NodeRanking& ranking,
                         std::function<void(std::int64_t)> on_trial)
    : stretches_(stretches), ranking_(ranking), on_trial_(std::move(on_trial)) {}

const cost::GraphTrial& GraphTrials::of(const cost::GraphSetting& setting) {
  if (const auto found = known_.find(setting); found != known_.end()) return found->second;
  if (interrupted()) throw Interrupted();
  cost::GraphTrial trial;
  trial.setting = setting;
  GraphReplay replay(setting, ranking_);
  for (RecordedStretch& stretch : stretches_) replay.run(stretch, trial);
  const cost::GraphTrial& made = known_.emplace(setting, std::move(trial)).first->second;
  if (on_trial_) on_trial_(static_cast<std::int64_t>(known_.size()));
  return made;
}

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
