#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/tokenizer/unicode_class.h"

namespace outrider::text {

/// A character with its class and length, for the word scanners.
struct Character {
  UnicodeClass kind;
  std::size_t length;  // bytes
};

/// The character of `text`, valid UTF-8, that begins at byte i.
Character character_at(std::string_view text, std::size_t i);

/// Length in bytes of the run of characters of one class at the front of `text`.
std::size_t run_length(std::string_view text, UnicodeClass kind);

}  // namespace outrider::text
