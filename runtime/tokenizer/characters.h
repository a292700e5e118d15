#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/tokenizer/unicode_class.h"

namespace outrider::text {

/// A character as the scanners of words see it.
struct Character {
  UnicodeClass kind;
  std::size_t length;  // bytes
};

/// The character of `text`, valid UTF-8, that begins at byte i.
Character character_at(std::string_view text, std::size_t i);

/// The bytes that characters of one class take at the front of `text`.
std::size_t run_length(std::string_view text, UnicodeClass kind);

}  // namespace outrider::text
