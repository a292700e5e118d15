#pragma once

#include <vector>

#include "runtime/base/token.h"
#include "runtime/model/model.h"

namespace outrider::model {

/// Leaves the head the rows of some tokens only, in their stored bits; every token can be read as before.
/// @param tokens  ascending ids of the model's tokens, at least one; its head is whole
void trim_head(std::vector<Token> tokens, Model& model);

}  // namespace outrider::model
