#include "runtime/jinja/python_characters.h"

#include <utf8proc.h>

#include <algorithm>

#include "runtime/tokenizer/utf8.h"

namespace outrider::jinja {
namespace {

utf8proc_category_t category(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

std::string written(utf8proc_int32_t character) {
  std::string text;
  text::append_utf8(static_cast<char32_t>(character), text);
  return text;
}

}  // namespace

Character first_character(std::string_view text) {
  const text::Utf8Step step = text::read_utf8(text);
  if (step.status != text::Utf8Status::kCharacter) return {0xFFFD, 1};
  return {step.code_point, step.length};
}

std::vector<std::size_t> character_offsets(std::string_view text) {
  std::vector<std::size_t> offsets = {0};
  while (offsets.back() < text.size())
    offsets.push_back(offsets.back() + first_character(text.substr(offsets.back())).size);
  return offsets;
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += first_character(text.substr(at)).size;
  return count;
}

bool is_space(char32_t character) {
  if (character < 0x80)
    return character == ' ' || (character >= 0x09 && character <= 0x0D) ||
           (character >= 0x1C && character <= 0x1F);
  const utf8proc_category_t kind = category(character);
  return character == 0x85 || kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL ||
         kind == UTF8PROC_CATEGORY_ZP;
}

bool is_letter(char32_t character) {
  const utf8proc_category_t kind = category(character);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_decimal(char32_t character) { return category(character) == UTF8PROC_CATEGORY_ND; }

bool is_upper(char32_t character) { return category(character) == UTF8PROC_CATEGORY_LU; }

bool is_lower(char32_t character) { return category(character) == UTF8PROC_CATEGORY_LL; }

std::string upper_case(char32_t character) {
  if (character == 0xDF) return "SS";
  return written(utf8proc_toupper(static_cast<utf8proc_int32_t>(character)));
}

std::string lower_case(char32_t character) {
  if (character == 0x130) return "i\xCC\x87";
  return written(utf8proc_tolower(static_cast<utf8proc_int32_t>(character)));
}

std::string title_case(char32_t character) {
  if (character == 0xDF) return "Ss";
  return written(utf8proc_totitle(static_cast<utf8proc_int32_t>(character)));
}

}  // namespace outrider::jinja
