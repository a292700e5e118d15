#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/token.h"

namespace outrider::data {

/// The tokens inside of loops: a period repeated four times or more, its first occurrence included. Small
/// models generate loops, which flatter every drafter that copies.
/// @return [tokens], 1 inside a loop, else 0
std::vector<std::uint8_t> loop_flags(std::span<const Token> tokens);

}  // namespace outrider::data
