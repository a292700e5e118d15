#pragma once

#include <span>
#include <vector>

#include "calibrate/replay/observations.h"
#include "data/trace.h"
#include "runtime/model/config.h"

namespace outrider::calibrate {

/// Observations of hidden states stored in a trace, rounded to bf16: nothing is forwarded again.
class RecordedStates : public Observations {
 public:
  explicit RecordedStates(const model::ModelConfig& config) : config_(config) {}

  /// Whether the request is for states of these layers only.
  static bool suffice(const engine::TapRequest& wants, std::span<const int> layers);

  /// Takes the states of the next answer's positions: all except the last token's.
  void take(std::vector<data::LayerStates> states) { states_ = std::move(states); }

 private:
  /// @throws std::logic_error for a request beyond them
  void make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                 const engine::TapRequest& request, engine::Pass& pass) override;
  /// @throws std::logic_error: of drafts nothing was recorded
  void make_draft_pass(const draft::TokenTree& tree, const engine::TapRequest& request,
                       engine::Pass& pass) override;

  model::ModelConfig config_;
  std::vector<data::LayerStates> states_;
};

}  // namespace outrider::calibrate
