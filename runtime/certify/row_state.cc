#include "runtime/certify/row_state.h"

#include <algorithm>

namespace outrider::certify {

std::vector<float> state_for(Token token, const engine::Engine& engine) {
  const model::ModelConfig& config = engine.config();
  const auto width = static_cast<std::size_t>(config.width);
  std::vector<float> state;
  const auto wanted = static_cast<std::size_t>(std::max(config.width, config.state_inputs));
  while (state.size() < wanted) {
    state.resize(state.size() + width);
    engine.embed(token, std::span(state).last(width));
    token = (token + 1) % config.vocab;
  }
  state.resize(wanted);
  return state;
}

}  // namespace outrider::certify
