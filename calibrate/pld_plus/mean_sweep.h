#pragma once

#include "calibrate/pld_plus/copy_table.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Notes where PLD+ (h) would copy from with states averaged over the last m positions, m = 1, 2, …:
/// the paper's appendix B.2. A text's first positions have fewer to average.
class MeanSweep {
 public:
  /// @param layer  as engine::Taps counts
  /// @param most   the largest m
  MeanSweep(engine::Engine& target, int layer, int most);

  void add(const Answer& answer);

  /// A ranking for each m; the first is that of m = 1.
  const CopyTable& table() const { return table_; }
  CopyTable& table() { return table_; }

 private:
  engine::Engine& target_;
  int layer_;
  CopyTable table_;
};

}  // namespace outrider::calibrate
