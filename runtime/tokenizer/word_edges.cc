#include "runtime/tokenizer/word_edges.h"

#include <utf8proc.h>

#include <cstdint>

#include "runtime/tokenizer/characters.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

/// The offset of the last character of a text that is not empty.
std::size_t last_character(std::string_view text) {
  std::size_t i = text.size() - 1;
  while (i > 0 && (static_cast<std::uint8_t>(text[i]) & 0xC0) == 0x80) --i;
  return i;
}

bool is_circled_letter(char32_t c) {  // symbols that are alphabetic
  return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
         (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

bool is_word_character(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return c == 0x200C || c == 0x200D || is_circled_letter(c);
  }
}

}  // namespace

bool word_ends_at(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  return word_begins_at(text, last_character(text.substr(0, at)));
}

bool word_begins_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_word_character(read_utf8(text.substr(at)).code_point);
}

std::size_t leading_spaces(std::string_view text) { return run_length(text, UnicodeClass::kSpace); }

std::size_t trimmed_length(std::string_view text) {
  while (!text.empty()) {
    const std::size_t last = last_character(text);
    if (character_at(text, last).kind != UnicodeClass::kSpace) break;
    text = text.substr(0, last);
  }
  return text.size();
}

}  // namespace outrider::text
