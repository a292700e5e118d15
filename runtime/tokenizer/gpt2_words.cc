#include <cstddef>
#include <initializer_list>

#include "runtime/tokenizer/characters.h"
#include "runtime/tokenizer/word_parts.h"
#include "runtime/tokenizer/word_patterns.h"

namespace outrider::text {
namespace {

/// Length of the contraction at the front of `text`, or 0.
std::size_t contraction(std::string_view text) {
  if (text[0] != '\'') return 0;
  for (const std::string_view ending : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    if (text.substr(1, ending.size()) == ending) return 1 + ending.size();
  }
  return 0;
}

/// A run of white space. If a word follows, the last character is left to that word, but never the only
/// one (a single plain space has been matched with its word before).
std::size_t spaces(std::string_view text) {
  std::size_t end = 0;
  std::size_t last = 0;  // begin of the last white-space character
  while (end < text.size()) {
    const Character c = character_at(text, end);
    if (c.kind != UnicodeClass::kSpace) return last > 0 ? last : end;
    last = end;
    end += c.length;
  }
  return end;
}

std::size_t gpt2_word_length(std::string_view text) {
  if (const std::size_t length = contraction(text)) return length;
  const std::size_t lead = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Character first = character_at(text, lead);
  if (first.kind == UnicodeClass::kSpace) return spaces(text);
  return lead + run_length(text.substr(lead), first.kind);
}

}  // namespace

void split_gpt2_words(std::string_view text, std::vector<std::string_view>& words) {
  cut_words(text, words, gpt2_word_length);
}

}  // namespace outrider::text
