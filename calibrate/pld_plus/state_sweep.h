#pragma once

#include <vector>

#include "calibrate/pld_plus/copied_tokens.h"
#include "calibrate/pld_plus/copy_table.h"
#include "runtime/engine/engine.h"

namespace outrider::calibrate {

/// Hidden states to compare: of a layer, averaged over this many last positions. A text's first
/// positions have fewer to average.
struct StateChoice {
  int layer = 0;  // as engine::TapRequest counts
  int averaged = 1;
  double logit_weight = 0;  // weight of the bonus of `draft::add_logits`
};

/// Every layer: 0, the embedding, to the last before the final norm.
std::vector<StateChoice> every_layer(const model::ModelConfig& config);
/// Means over 1, 2, … `most` positions: PLD+ (Somasundaram et al. 2024), appendix B.2.
std::vector<StateChoice> means_of_layer(int layer, int most);
/// Each weight together with the layer's states, not averaged.
std::vector<StateChoice> weights_of_layer(int layer, const std::vector<double>& weights);

/// Forwards answers once and records the sources of PLD+ (h) for many choices of states.
class StateSweep {
 public:
  StateSweep(engine::Engine& target, std::vector<StateChoice> choices, int branches = 1);

  void add(const Answer& answer);

  /// A ranking for each choice.
  const CopyTable& table() const { return table_; }
  CopyTable& table() { return table_; }

 private:
  bool weighs_logits() const;

  engine::Engine& target_;
  std::vector<StateChoice> choices_;
  CopyTable table_;
};

}  // namespace outrider::calibrate
