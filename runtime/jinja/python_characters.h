#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::jinja {

/// The offset of every character of a text and of its end. What is not UTF-8 counts a byte each.
std::vector<std::size_t> character_offsets(std::string_view text);

/// The number of characters, as Python counts them.
std::size_t character_count(std::string_view text);

/// The character at the front of a text, and its bytes; what is not UTF-8 is U+FFFD.
struct Character {
  char32_t code;
  std::size_t size;
};
Character first_character(std::string_view text);

/// Python's properties of characters.
bool is_space(char32_t character);
bool is_letter(char32_t character);
bool is_decimal(char32_t character);
bool is_upper(char32_t character);
bool is_lower(char32_t character);

/// The character in the other case, which can be several ("ß" in capitals).
std::string upper_case(char32_t character);
std::string lower_case(char32_t character);
/// As the first letter of a word.
std::string title_case(char32_t character);

}  // namespace outrider::jinja
