#pragma once

#include <string>
#include <vector>

#include "runtime/inference/generation.h"
#include "runtime/tokenizer/character_ranges.h"

namespace outrider::inference {

/// A copied span as ranges of whole characters in both texts; those of the prompt refer to
/// `prompt_text`.
struct AttributedSpan {
  decode::CopiedSpan tokens;
  text::CharacterRange text;
  text::CharacterRange source_text;
};

std::vector<AttributedSpan> attributed_spans(const GeneratedText& text,
                                             const text::Tokenizer& tokenizer);

/// Everything before the generated text, including the chat format's marks.
std::string prompt_text(const GeneratedText& text, const text::Tokenizer& tokenizer);

}  // namespace outrider::inference
