#pragma once

#include <vector>

#include "calibrate/pld_plus/answer.h"
#include "calibrate/pld_plus/copy_table.h"

namespace outrider::calibrate {

/// Looks at answers once for all layers and notes where PLD+ (h) would copy from by the states of
/// each.
class LayerSweep {
 public:
  /// All layers: 0, the embedding, to the last before the final norm.
  explicit LayerSweep(engine::Engine& target);
  /// @param layers  as engine::Taps counts
  LayerSweep(engine::Engine& target, std::vector<int> layers, int branches);

  void add(const Answer& answer);

  /// A ranking for each layer.
  const CopyTable& table() const { return table_; }
  CopyTable& table() { return table_; }

 private:
  engine::Engine& target_;
  engine::Taps taps_;
  CopyTable table_;
};

}  // namespace outrider::calibrate
