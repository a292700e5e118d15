#pragma once

#include <optional>
#include <string>

#include "runtime/inference/generation.h"

namespace outrider::inference {

/// Where a text is not the one that plain decoding gave.
struct Difference {
  std::string what;   // "position 3 of the text", "the finish reason", "the text of equal tokens"
  std::string found;  // in the text: "token 5 'a'"
  std::string expected;  // of plain decoding
};

/// Compares tokens, then the finish reason, then the text.
std::optional<Difference> first_difference(const GeneratedText& drafted, const GeneratedText& plain,
                                           const text::Tokenizer& tokenizer);

}  // namespace outrider::inference
