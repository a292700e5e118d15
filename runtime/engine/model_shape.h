#pragma once

#include <span>

#include "runtime/base/token.h"
#include "runtime/model/model.h"

namespace outrider::engine {

/// The model, whose shape all kernels take.
/// @throws InputError for a width that is not a multiple of what they need
/// @throws std::logic_error for a projection of states of another shape than the model's
const model::Model& checked_shape(const model::Model& model);

/// The number of positions a row may have. Only learned position tables are finite.
int positions_of(const model::ModelConfig& config);

/// Implements Engine::embed.
void embed_token(const model::Model& model, Token token, std::span<float> state);

}  // namespace outrider::engine
