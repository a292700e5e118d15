#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::text {

enum class Utf8Status : std::uint8_t { kCharacter, kInvalid, kIncomplete };

/// The result of reading the front of a text.
struct Utf8Step {
  Utf8Status status;
  char32_t code_point;  // of a character; else 0
  std::size_t length;   // bytes consumed: of the character, or of the longest invalid prefix of one
};

/// Reads one character from the front of `text`, which is not empty. `kIncomplete` means that the
/// text ends inside a character that more bytes could complete. Overlong forms, surrogates and code
/// points above U+10FFFF are invalid (Unicode, section 3.9, table 3-7).
Utf8Step read_utf8(std::string_view text);

/// Appends a character. @param code_point  at most U+10FFFF
void append_utf8(char32_t code_point, std::string& text);

/// The offset of the first byte that is not UTF-8, or nothing if all of it is.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Turns a stream of bytes into valid UTF-8. Each longest invalid prefix of a character becomes one
/// U+FFFD as soon as no byte can complete it, so that the whole text equals that of Rust's
/// `from_utf8_lossy`, which Hugging Face uses, for all bytes at once.
class Utf8Stream {
 public:
  /// The text that is final after these bytes; at most three bytes are held back.
  std::string push(std::string_view bytes);
  /// Ends the stream: U+FFFD if bytes were held back.
  std::string flush();

 private:
  std::string pending_;
};

}  // namespace outrider::text
