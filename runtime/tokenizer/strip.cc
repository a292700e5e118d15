#include "runtime/tokenizer/strip.h"

#include "runtime/tokenizer/unicode_class.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

/// Python also counts the four ASCII separators.
bool is_space(char32_t c) {
  return unicode_class(c) == UnicodeClass::kSpace || (c >= 0x1C && c <= 0x1F);
}

}  // namespace

std::string_view strip_end(std::string_view text) {
  std::size_t end = 0;  // of the last character that is not white space
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Step step = read_utf8(text.substr(i));
    i += step.length;
    if (step.status != Utf8Status::kCharacter || !is_space(step.code_point)) end = i;
  }
  return text.substr(0, end);
}

std::string_view strip(std::string_view text) {
  text = strip_end(text);
  while (!text.empty()) {
    const Utf8Step step = read_utf8(text);
    if (step.status != Utf8Status::kCharacter || !is_space(step.code_point)) break;
    text.remove_prefix(step.length);
  }
  return text;
}

}  // namespace outrider::text
