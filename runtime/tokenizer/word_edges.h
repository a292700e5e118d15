#pragma once

#include <cstddef>
#include <string_view>

namespace outrider::text {

/// Whether a word ends, or begins, at byte `at` of a text, valid UTF-8: whether the character before
/// it, or behind it, is one of Unicode's \w: letters, marks, decimal digits, connecting punctuation,
/// joiners.
bool word_ends_at(std::string_view text, std::size_t at);
bool word_begins_at(std::string_view text, std::size_t at);

/// The bytes of white space at the front of a text, valid UTF-8.
std::size_t leading_spaces(std::string_view text);
/// The bytes of a text without the white space at its end.
std::size_t trimmed_length(std::string_view text);

}  // namespace outrider::text
