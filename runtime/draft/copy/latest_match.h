#pragma once

#include <span>

#include "runtime/base/token.h"

namespace outrider::draft {

/// An earlier occurrence of the last tokens of a text.
struct EarlierMatch {
  int tokens = 0;  // that are equal; 0: there is none
  int after = 0;   // the position of the token that follows the occurrence
};

/// The longest earlier occurrence of a text's last tokens; of equally long ones the latest.
/// @param shortest, longest  tokens to match, at least 1; longer matches count as the longest
EarlierMatch latest_match(std::span<const Token> text, int shortest, int longest);

}  // namespace outrider::draft
