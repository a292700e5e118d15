#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::data {

/// Which tokens lie in a loop: a stretch that is some period repeated four times or more, its first
/// time included. Small models fall into loops, and they flatter every drafter that copies.
/// @return [tokens], 1 inside a loop, else 0
std::vector<std::uint8_t> loop_flags(std::span<const Token> tokens);

}  // namespace outrider::data
