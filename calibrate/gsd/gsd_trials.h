#pragma once

#include <vector>

#include "calibrate/gsd/gsd_replay.h"
#include "calibrate/trials/known_trials.h"

namespace outrider::calibrate {

/// What settings give on recorded trees; each is replayed once.
class GsdTrials : public KnownTrials<GsdTrial> {
 public:
  /// @param stretches, ranking  must outlive it
  GsdTrials(std::vector<RecordedStretch>& stretches, draft::NodeRanking& ranking);

  std::int64_t positions() const;
  /// Trees that reached the limit of nodes.
  std::int64_t cut() const;

 private:
  std::vector<RecordedStretch>& stretches_;
};

}  // namespace outrider::calibrate
