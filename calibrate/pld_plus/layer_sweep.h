#pragma once

#include <vector>

#include "calibrate/pld_plus/answer.h"
#include "calibrate/pld_plus/copy_replay.h"

namespace outrider::calibrate {

/// What PLD+ (h) would copy at one position, by the states of one layer.
struct LayerChance {
  float cosine = -1;
  CopyChance copy;
};

/// Looks at answers once for all layers, and replays PLD+ (h) from what it noted: the text does not
/// depend on the drafter, so every layer, draft length and threshold walks the same table.
class LayerSweep {
 public:
  explicit LayerSweep(engine::Engine& target);

  void add(const Answer& answer);

  /// @param layer      0, the embedding, to the last before the final norm
  /// @param threshold  no draft below this cosine; -1: always one
  Replay replay(int layer, int draft_length, double threshold) const;
  int layers() const { return static_cast<int>(table_.size()); }

 private:
  engine::Engine& target_;
  /// [layer][answer][position of the answer but the last]
  std::vector<std::vector<std::vector<LayerChance>>> table_;
};

}  // namespace outrider::calibrate
