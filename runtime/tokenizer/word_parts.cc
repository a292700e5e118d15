#include "runtime/tokenizer/word_parts.h"

#include "runtime/tokenizer/characters.h"

namespace outrider::text {
namespace {

/// A character of a contraction in lower case: an ASCII letter, or s for the long s, whose capital is S.
/// Sets `length` to its bytes.
char folded(std::string_view text, std::size_t& length) {
  constexpr std::string_view kLongS = "\u017f";
  if (text.starts_with(kLongS)) {
    length = kLongS.size();
    return 's';
  }
  length = 1;
  const char c = text.empty() ? '\0' : text[0];
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t any_case_contraction(std::string_view text) {
  if (text.empty() || text[0] != '\'') return 0;
  for (const std::string_view ending : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    std::size_t end = 1;
    bool same = true;
    for (const char expected : ending) {
      std::size_t length = 0;
      same = same && folded(text.substr(end), length) == expected;
      if (!same) break;
      end += length;
    }
    if (same) return end;
  }
  return 0;
}

std::size_t spaces_by_line(std::string_view text) {
  std::size_t end = 0;
  std::size_t last = 0;  // begin of the last character
  std::size_t line = 0;  // end of the last line break
  while (end < text.size()) {
    const Character c = character_at(text, end);
    if (c.kind != UnicodeClass::kSpace) break;
    last = end;
    end += c.length;
    if (ends_line(text[last])) line = end;
  }
  if (line > 0) return line;
  return end < text.size() && last > 0 ? last : end;
}

std::size_t digits(std::string_view text, int most) {
  std::size_t end = 0;
  for (int i = 0; i < most && end < text.size(); ++i) {
    const Character c = character_at(text, end);
    if (c.kind != UnicodeClass::kNumber) break;
    end += c.length;
  }
  return end;
}

}  // namespace outrider::text
