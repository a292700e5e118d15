#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::data {

/// Marks the tokens inside loops: a period repeated four times or more, including its first
/// occurrence. Small models generate loops, which favour every drafter that copies.
/// @return [tokens], 1 inside a loop, otherwise 0
std::vector<std::uint8_t> loop_flags(std::span<const Token> tokens);

}  // namespace outrider::data
