#include "runtime/inference/attributed_spans.h"

#include <algorithm>

namespace outrider::inference {

std::vector<AttributedSpan> attributed_spans(const GeneratedText& text,
                                             const text::Tokenizer& tokenizer) {
  if (text.copied.empty()) return {};
  const auto made = text::character_ranges(tokenizer, text.result.tokens, false);
  const auto asked = text::character_ranges(tokenizer, text.prompt_tokens, true);
  const auto over = [](const std::vector<text::CharacterRange>& ranges, int begin, int end) {
    return text::CharacterRange{ranges[static_cast<std::size_t>(begin)].begin,
                                ranges[static_cast<std::size_t>(end) - 1].end};
  };
  // A stop string may have truncated the text.
  const int shown = text::count_characters(text.text);
  std::vector<AttributedSpan> spans;
  for (const decode::CopiedSpan& span : text.copied) {
    text::CharacterRange characters = over(made, span.begin, span.end);
    characters = {std::min(characters.begin, shown), std::min(characters.end, shown)};
    const int source_end = span.source + span.end - span.begin;
    spans.push_back({span, characters, over(asked, span.source, source_end)});
  }
  return spans;
}

std::string prompt_text(const GeneratedText& text, const text::Tokenizer& tokenizer) {
  return tokenizer.decode(text.prompt_tokens, true);
}

}  // namespace outrider::inference
