#include <cstddef>

#include "runtime/tokenizer/characters.h"
#include "runtime/tokenizer/word_parts.h"
#include "runtime/tokenizer/word_patterns.h"

namespace outrider::text {
namespace {

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
  if (end == lead) return spaces_by_line(text);
  while (end < text.size() && ends_line(text[end])) ++end;
  return end;
}

}  // namespace

void split_llama3_words(std::string_view text, int most_digits,
                        std::vector<std::string_view>& words) {
  cut_words(text, words,
            [&](std::string_view rest) { return llama3_word_length(rest, most_digits); });
}

}  // namespace outrider::text
