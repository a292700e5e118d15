#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace outrider::text {

// What the patterns of GPT-2, Llama 3 and o200k share. A part gives the length in bytes of its match at the front of `text`,
// valid UTF-8, or 0.

inline bool ends_line(char c) { return c == '\r' || c == '\n'; }

/// Cuts all of `text` into words. `length(rest)` is the length in bytes of the first word of what is left, at least 1.
template <typename Length>
void cut_words(std::string_view text, std::vector<std::string_view>& words, const Length& length) {
  while (!text.empty()) {
    words.push_back(text.substr(0, length(text)));
    text.remove_prefix(words.back().size());
  }
}

/// (?i:'s|'t|'re|'ve|'m|'ll|'d)
std::size_t any_case_contraction(std::string_view text);

/// \s*[\r\n]+|\s+(?!\S)|\s+: a run of white space up to its last end of line if it has one; else, if a word follows that
/// can start with its last character, without that character, unless it is the only one.
std::size_t spaces_by_line(std::string_view text);

/// \p{N}{1,most}
std::size_t digits(std::string_view text, int most);

}  // namespace outrider::text
