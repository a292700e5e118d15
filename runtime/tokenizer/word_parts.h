#pragma once

#include <cstddef>
#include <string_view>

namespace outrider::text {

// Parts that the patterns of Llama 3 and o200k share. Each gives the length in bytes of its match at the front of `text`,
// valid UTF-8, or 0.

inline bool ends_line(char c) { return c == '\r' || c == '\n'; }

/// (?i:'s|'t|'re|'ve|'m|'ll|'d)
std::size_t any_case_contraction(std::string_view text);

/// \s*[\r\n]+|\s+(?!\S)|\s+: a run of white space up to its last end of line if it has one; else, if a word follows that
/// can start with its last character, without that character, unless it is the only one.
std::size_t spaces_by_line(std::string_view text);

/// \p{N}{1,most}
std::size_t digits(std::string_view text, int most);

}  // namespace outrider::text
