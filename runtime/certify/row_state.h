#pragma once

#include <vector>

#include "runtime/base/token.h"
#include "runtime/engine/engine.h"

namespace outrider::certify {

/// The state that a row is given instead of a token: the token's embedding; of a model that takes states
/// only, [state_inputs] numbers that differ from token to token.
std::vector<float> state_for(Token token, const engine::Engine& engine);

}  // namespace outrider::certify
