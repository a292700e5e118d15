#include "runtime/tokenizer/characters.h"

#include "runtime/tokenizer/utf8.h"

namespace outrider::text {

Character character_at(std::string_view text, std::size_t i) {
  const Utf8Step step = read_utf8(text.substr(i));
  return {unicode_class(step.code_point), step.length};
}

std::size_t run_length(std::string_view text, UnicodeClass kind) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Character c = character_at(text, end);
    if (c.kind != kind) break;
    end += c.length;
  }
  return end;
}

}  // namespace outrider::text
