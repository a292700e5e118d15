#pragma once

#include <span>

#include "runtime/base/token.h"

namespace outrider::draft {

/// The longest match that counts as longer than others.
inline constexpr int kLongestTextMatch = 10;

/// Whether a drafted token is what the text would be copied from: the tokens of the longest earlier occurrence of the
/// last ones before it, of equally long ones of the latest; negative where another token follows them there, 0 where
/// they do not occur. Texts repeat themselves, and a draft model that goes on as the text did before is right more
/// often. Shared with training.
/// @param before  all of the text, and the tokens drafted before it
int text_match(std::span<const Token> before, Token drafted);

}  // namespace outrider::draft
