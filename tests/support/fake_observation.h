#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "runtime/engine/pass.h"

namespace outrider::test {

/// Fills a pass's observation as a model of this shape would, for tests that choose states and attention
/// themselves. States are 0 until `set_state`. Row i has position first + i.
inline void observe_by_hand(engine::Pass& pass, const engine::TapRequest& request, int width,
                            int first = 0, engine::Observation::AttentionOf attention = {}) {
  model::ModelConfig config;
  config.layers = 4;
  config.heads = 4;
  config.width = width;
  pass.request = request;
  const int rows = static_cast<int>(pass.rows.size());
  pass.observed.begin(request, config, rows, std::move(attention));
  for (int row = 0; row < rows; ++row) pass.observed.set_row(row, first + row, row, nullptr);
}

inline void set_state(engine::Pass& pass, int layer, int row, const std::vector<float>& state) {
  std::copy(state.begin(), state.end(), pass.observed.state_out(layer, row));
}

}  // namespace outrider::test
