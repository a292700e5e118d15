#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::text {

/// A range of characters (Unicode code points) of a text, counted from 0.
struct CharacterRange {
  int begin;
  int end;  // exclusive
};

/// The number of characters of a valid UTF-8 text.
int count_characters(std::string_view text);

/// The characters of `tokenizer.decode(tokens, show_special)` that each token generates. A character made
/// by several tokens belongs to each of them.
std::vector<CharacterRange> character_ranges(const Tokenizer& tokenizer,
                                             std::span<const Token> tokens, bool show_special);

}  // namespace outrider::text
