#pragma once

#include <string>
#include <utility>

#include "runtime/base/token.h"

namespace outrider::inference {

/// A token id and the number added to its logit, from "ID=X".
/// @throws InputError
std::pair<Token, double> parse_bias(const std::string& text);

}  // namespace outrider::inference
