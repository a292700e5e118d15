#pragma once

#include <string_view>
#include <vector>

namespace outrider::text {

/// Appends the matches of GPT-2's pattern in `text`, valid UTF-8; together they are the whole text:
///
///     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
///
/// Written as a scanner: one pass, no backtracking, and Unicode classes of our own.
void split_gpt2_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace outrider::text
