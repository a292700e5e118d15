#include <cstddef>

#include "runtime/tokenizer/characters.h"
#include "runtime/tokenizer/word_patterns.h"

namespace outrider::text {
namespace {

bool ends_line(char c) { return c == '\r' || c == '\n'; }

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

/// Length of the contraction at the front of `text`, in any case, or 0.
std::size_t any_case_contraction(std::string_view text) {
  if (text[0] != '\'') return 0;
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

/// A run of white space: up to its last end of line if it has one; else, if a word follows that can start
/// with its last character, without that character, unless it is the only one.
std::size_t llama3_spaces(std::string_view text) {
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

/// Length of letters after at most one character that is no letter, number or end of line; or 0.
std::size_t letters(std::string_view text, const Character& first) {
  if (first.kind == UnicodeClass::kLetter) return run_length(text, UnicodeClass::kLetter);
  if (first.kind == UnicodeClass::kNumber || ends_line(text[0])) return 0;
  const std::size_t run = run_length(text.substr(first.length), UnicodeClass::kLetter);
  return run == 0 ? 0 : first.length + run;
}

std::size_t llama3_word_length(std::string_view text, int most_digits) {
  if (const std::size_t length = any_case_contraction(text)) return length;
  const Character first = character_at(text, 0);
  if (const std::size_t length = letters(text, first)) return length;
  if (first.kind == UnicodeClass::kNumber) return digits(text, most_digits);
  const std::size_t lead = text[0] == ' ' ? 1 : 0;
  std::size_t end = lead + run_length(text.substr(lead), UnicodeClass::kOther);
  if (end == lead) return llama3_spaces(text);
  while (end < text.size() && ends_line(text[end])) ++end;
  return end;
}

}  // namespace

void split_llama3_words(std::string_view text, int most_digits,
                        std::vector<std::string_view>& words) {
  while (!text.empty()) {
    const std::size_t length = llama3_word_length(text, most_digits);
    words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace outrider::text
