#pragma once

#include <span>

#include "runtime/base/token.h"

namespace outrider::draft {

/// Longer matches count as this long.
inline constexpr int kLongestTextMatch = 10;

/// Whether the text continued with the drafted token before: the length of the longest earlier occurrence of the last
/// tokens (of equally long ones the latest), positive where the drafted token follows that occurrence, negative where
/// another token does; 0 without one. Draft tokens that repeat the text are accepted more often. Shared by training and
/// drafting.
/// @param before  all of the text, and the tokens drafted before it
int text_match(std::span<const Token> before, Token drafted);

}  // namespace outrider::draft
