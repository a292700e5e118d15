#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider::text {

/// GPT-2's byte alphabet: each byte is written as one printable character, so that a vocabulary of
/// byte strings can be stored as text. Printable bytes of Latin-1 represent themselves; the others,
/// in ascending order, are U+0100, U+0101, ...; a space is U+0120.
std::string to_byte_alphabet(std::string_view bytes);

/// The bytes of a stored token. A token with a character outside the alphabet is its own UTF-8 bytes, as
/// in Hugging Face.
std::string from_byte_alphabet(std::string_view token);

}  // namespace outrider::text
