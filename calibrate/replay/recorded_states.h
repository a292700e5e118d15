#pragma once

#include <span>
#include <vector>

#include "calibrate/replay/observations.h"
#include "data/trace.h"
#include "runtime/model/config.h"

namespace outrider::calibrate {

/// Observations of hidden states that a trace keeps, rounded to bf16: nothing is forwarded again.
class RecordedStates : public Observations {
 public:
  explicit RecordedStates(const model::ModelConfig& config) : config_(config) {}

  /// Whether all that is wanted are states of these layers.
  static bool suffice(const engine::TapRequest& wants, std::span<const int> layers);

  /// Takes those of the next answer's positions: from the first on, all but the last token's.
  void take(std::vector<data::LayerStates> states) { states_ = std::move(states); }

 private:
  /// @throws std::logic_error for more than there is
  void make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                 const engine::TapRequest& request, engine::Pass& pass) override;

  model::ModelConfig config_;
  std::vector<data::LayerStates> states_;
};

}  // namespace outrider::calibrate
