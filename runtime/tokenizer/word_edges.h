#pragma once

#include <cstddef>
#include <string_view>

namespace outrider::text {

/// Whether a word ends, or begins, at byte `at` of valid UTF-8 text: whether the character before, or
/// after, is in Unicode's \w: letters, marks, decimal digits, connecting punctuation, joiners.
bool word_ends_at(std::string_view text, std::size_t at);
bool word_begins_at(std::string_view text, std::size_t at);

/// Length in bytes of the white space at the front of valid UTF-8 text.
std::size_t leading_spaces(std::string_view text);
/// Length in bytes of a text without the white space at its end.
std::size_t trimmed_length(std::string_view text);

}  // namespace outrider::text
