#pragma once

#include <cstdint>

namespace outrider::text {

/// The character classes of pre-tokenizers.
enum class UnicodeClass : std::uint8_t { kOther, kLetter, kNumber, kSpace };

/// The class of a code point in Hugging Face `tokenizers`: \p{L} and \s of its regular
/// expressions, and Rust's `char::is_numeric` (Nd, Nl, No). The table is part of this program, not
/// taken from a Unicode library, so that the same text gives the same tokens on every machine.
UnicodeClass unicode_class(char32_t code_point);

}  // namespace outrider::text
