#pragma once

#include <functional>
#include <map>
#include <vector>

#include "calibrate/graph/graph_replay.h"

namespace outrider::calibrate {

/// What settings give on recorded trees; each is replayed once.
class GraphTrials {
 public:
  /// @param stretches, ranking  must outlive it
  /// @param on_trial            called after each replay with the number of them so far
  GraphTrials(std::vector<RecordedStretch>& stretches, draft::NodeRanking& ranking,
              std::function<void(std::int64_t)> on_trial = {});

  const cost::GraphTrial& of(const cost::GraphSetting& setting);
  const std::map<cost::GraphSetting, cost::GraphTrial>& known() const { return known_; }

  std::int64_t positions() const;
  /// Trees that reached the limit of nodes.
  std::int64_t cut() const;

 private:
  std::vector<RecordedStretch>& stretches_;
  draft::NodeRanking& ranking_;
  std::function<void(std::int64_t)> on_trial_;
  std::map<cost::GraphSetting, cost::GraphTrial> known_;
};

}  // namespace outrider::calibrate
