#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::text {

/// Characters of a text, that is Unicode code points, from 0.
struct CharacterRange {
  int begin;
  int end;  // behind the last one
};

/// How many characters a valid UTF-8 text has.
int count_characters(std::string_view text);

/// Which characters of `tokenizer.decode(tokens, show_special)` each token made. One that several
/// tokens made together belongs to each of them.
std::vector<CharacterRange> character_ranges(const Tokenizer& tokenizer,
                                             std::span<const Token> tokens, bool show_special);

}  // namespace outrider::text
