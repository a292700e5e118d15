#pragma once

#include <string>
#include <vector>

#include "runtime/inference/generation.h"
#include "runtime/tokenizer/character_ranges.h"

namespace outrider {

/// A copied span and the characters of both texts that it is about, whole ones; the prompt's as
/// `prompt_text` writes it.
struct AttributedSpan {
  decode::CopiedSpan tokens;
  text::CharacterRange text;
  text::CharacterRange source_text;
};

std::vector<AttributedSpan> attributed_spans(const inference::GeneratedText& text,
                                             const text::Tokenizer& tokenizer);

/// All that came before the text, with the chat format's marks.
std::string prompt_text(const inference::GeneratedText& text, const text::Tokenizer& tokenizer);

}  // namespace outrider
