#include "calibrate/replay/recorded_states.h"

#include <algorithm>
#include <stdexcept>

namespace outrider::calibrate {

bool RecordedStates::suffice(const engine::TapRequest& wants, std::span<const int> layers) {
  return wants.heads.empty() && !wants.best_keys && !wants.logits &&
         std::all_of(wants.layers.begin(), wants.layers.end(), [&](int layer) {
           return std::find(layers.begin(), layers.end(), layer) != layers.end();
         });
}

void RecordedStates::make_pass(const Answer& answer, std::size_t first, std::size_t rows,
                               const engine::TapRequest& request, engine::Pass& pass) {
  std::vector<int> layers;
  for (const data::LayerStates& states : states_) layers.push_back(states.layer);
  if (!suffice(request, layers))
    throw std::logic_error("RecordedStates: asked for what was not recorded");
  const auto width = static_cast<std::size_t>(config_.width);
  pass.request = request;
  pass.rows.clear();
  pass.add_chain(0, std::span(answer.tokens).subspan(first, rows), false);
  pass.observed.begin(request, config_, static_cast<int>(rows), {});
  for (std::size_t row = 0; row < rows; ++row) {
    const int number = static_cast<int>(row);
    pass.observed.set_row(number, static_cast<int>(first + row), number, nullptr);
    for (const data::LayerStates& states : states_) {
      const auto state = std::span(states.values).subspan((first + row) * width, width);
      if (float* out = pass.observed.state_out(states.layer, number))
        std::transform(state.begin(), state.end(), out, bfloat16_to_float);
    }
  }
}

void RecordedStates::make_draft_pass(const draft::TokenTree& /*tree*/,
                                     const engine::TapRequest& /*request*/,
                                     engine::Pass& /*pass*/) {
  throw std::logic_error("RecordedStates: asked for rows of a draft");
}

}  // namespace outrider::calibrate
