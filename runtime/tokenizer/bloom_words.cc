#include <cstddef>

#include "runtime/tokenizer/characters.h"
#include "runtime/tokenizer/word_patterns.h"

namespace outrider::text {
namespace {

/// Whether `c`, the first character of `text`, may be part of a word.
bool is_in_words(std::string_view text, const Character& c) {
  constexpr std::string_view kBetween = "(|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)";
  return c.kind != UnicodeClass::kSpace &&
         kBetween.find(text.substr(0, c.length)) == std::string_view::npos;
}

/// Length in bytes of the word at the front of `text`, without a space before it.
std::size_t bloom_word_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Character c = character_at(text, end);
    if (!is_in_words(text.substr(end), c)) break;
    end += c.length;
  }
  return end;
}

}  // namespace

void split_bloom_words(std::string_view text, std::vector<std::string_view>& words) {
  std::size_t between = 0;  // begin of the text after the last word
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t lead = text[i] == ' ' ? 1 : 0;
    const std::size_t length = bloom_word_length(text.substr(i + lead));
    if (length == 0) {
      i += lead == 1 ? 1 : character_at(text, i).length;
      continue;
    }
    if (between < i) words.push_back(text.substr(between, i - between));
    words.push_back(text.substr(i, lead + length));
    between = i += lead + length;
  }
  if (between < text.size()) words.push_back(text.substr(between));
}

}  // namespace outrider::text
