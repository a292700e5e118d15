#include "runtime/tokenizer/character_ranges.h"

#include <algorithm>

#include "runtime/tokenizer/detokenizer.h"

namespace outrider::text {

int count_characters(std::string_view text) {
  // Every byte except continuation bytes, 10xxxxxx, begins a character.
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & '\xc0') != '\x80'; }));
}

std::vector<CharacterRange> character_ranges(const Tokenizer& tokenizer,
                                             std::span<const Token> tokens, bool show_special) {
  std::vector<CharacterRange> ranges;
  Detokenizer whole(tokenizer, show_special);
  int certain = 0;
  for (const Token token : tokens) {
    CharacterRange& range = ranges.emplace_back(CharacterRange{certain, certain});
    certain += count_characters(whole.push(token));
    Detokenizer here = whole;
    range.end = certain + count_characters(here.flush());
  }
  return ranges;
}

}  // namespace outrider::text
