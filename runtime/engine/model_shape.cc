#include "runtime/engine/model_shape.h"

#include <fmt/core.h>

#include <cstddef>
#include <limits>
#include <stdexcept>

#include "runtime/base/error.h"

namespace outrider::engine {

const model::Model& checked_shape(const model::Model& model) {
  const auto require = [&](int value, int multiple, const char* what) {
    if (value % multiple != 0)
      throw InputError(fmt::format("{}: {} is {}, and this engine takes multiples of {} only",
                                   model.path.string(), what, value, multiple));
  };
  require(model.config.head_width, 16, "the head width");
  require(model.config.heads * model.config.head_width, 32, "the width of all query heads");
  require(model.config.rotary_width, 2, "the rotated part of a head");
  require(model.config.width, 32, "the embedding width");
  require(model.config.ffn_width, 32, "the feed-forward width");
  require(model.config.state_inputs, 32, "the size of the states that rows are given as");
  const model::Weight& projection = model.state_projection;
  const bool has_states = model.config.state_inputs > 0;
  if (projection.columns != model.config.state_inputs ||
      projection.rows != (has_states ? model.config.width : 0))
    throw std::logic_error("an engine: the projection of states has another shape than its model");
  if (has_states &&
      (model.config.positions == model::Positions::kLearned || model.embedding_norm.rows > 0))
    throw std::logic_error("an engine: states are neither embedded nor normalised");
  return model;
}

int positions_of(const model::ModelConfig& config) {
  return config.positions == model::Positions::kLearned ? config.context
                                                        : std::numeric_limits<int>::max();
}

void embed_token(const model::Model& model, Token token, std::span<float> state) {
  if (token < 0 || token >= model.config.vocab ||
      state.size() != static_cast<std::size_t>(model.config.width))
    throw std::logic_error(fmt::format("embed: token {}, {} numbers", token, state.size()));
  model.embed(token, state.data());
}

}  // namespace outrider::engine
