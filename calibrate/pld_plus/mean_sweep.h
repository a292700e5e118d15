#pragma once

#include <vector>

#include "calibrate/pld_plus/copy_replay.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Replays PLD+ (h) with states averaged over the last m positions, m = 1, 2, …: the paper's
/// appendix B.2. A text's first positions have fewer to average.
class MeanSweep {
 public:
  /// @param layer  as engine::Taps counts
  /// @param most   the largest m
  MeanSweep(engine::Engine& target, int layer, int most);

  void add(const Answer& answer);
  /// @param m  from 1 to `most`
  Replay replay(int m, int draft_length) const;

 private:
  engine::Engine& target_;
  int layer_;
  /// [m - 1][answer][position of the answer but the last]
  std::vector<std::vector<std::vector<CopyChance>>> table_;
};

}  // namespace outrider::calibrate
