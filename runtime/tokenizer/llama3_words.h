#pragma once

#include <string_view>
#include <vector>

namespace outrider::text {

/// Appends the matches of Llama 3's pattern in `text`, valid UTF-8; together they are the whole text:
///
///     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
///     |\s*[\r\n]+|\s+(?!\S)|\s+
///
/// Qwen 2's has \p{N} in place of \p{N}{1,3}. Written as a scanner, like GPT-2's.
/// @param most_digits  numeric characters in a word: 3 or 1
void split_llama3_words(std::string_view text, int most_digits,
                        std::vector<std::string_view>& words);

}  // namespace outrider::text
