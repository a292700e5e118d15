#pragma once

#include <cstdint>

namespace outrider::text {

/// In which of the two runs of a word a character may be, by o200k's pattern: capitals in the first, small letters in the
/// second, and letters without case and marks in either. They are [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and
/// [\p{Ll}\p{Lm}\p{Lo}\p{M}] of Hugging Face `tokenizers`.
enum class LetterCase : std::uint8_t { kNeither, kUpper, kLower, kEither };

LetterCase letter_case(char32_t code_point);

}  // namespace outrider::text
