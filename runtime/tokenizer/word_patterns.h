#pragma once

#include <string_view>
#include <vector>

namespace outrider::text {

// Each appends the matches of a pattern in `text`, valid UTF-8; together they are the whole text. Written as scanners: one
// pass, no backtracking, and Unicode classes of our own.

/// GPT-2's pattern:
///
///     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
void split_gpt2_words(std::string_view text, std::vector<std::string_view>& words);

/// Llama 3's pattern:
///
///     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
///     |\s*[\r\n]+|\s+(?!\S)|\s+
///
/// Qwen 2's has \p{N} in place of \p{N}{1,3}.
/// @param most_digits  numeric characters in a word: 3 or 1
void split_llama3_words(std::string_view text, int most_digits,
                        std::vector<std::string_view>& words);

/// o200k's pattern, of GPT-4o and gpt-oss:
///
///     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
///     |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
///     |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
void split_o200k_words(std::string_view text, std::vector<std::string_view>& words);

/// BLOOM's pattern, and the text between its matches:
///
///      ?[^(\s|[.,!?…。，、।۔،])]+
///
/// Words contain no white space, parentheses, | or characters of the inner brackets.
void split_bloom_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace outrider::text
