#include "runtime/tokenizer/byte_alphabet.h"

#include <array>
#include <cstddef>
#include <string>

#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

bool is_printable(std::size_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
}

struct Alphabet {
  std::array<std::string, 256> letters;   // byte -> its character in UTF-8
  std::array<std::int16_t, 0x144> bytes;  // code point -> byte, -1 if outside the alphabet
};

const Alphabet& alphabet() {
  static const Alphabet made = [] {
    Alphabet a;
    a.bytes.fill(-1);
    std::size_t next = 0x100;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::size_t code_point = is_printable(byte) ? byte : next++;
      append_utf8(static_cast<char32_t>(code_point), a.letters[byte]);
      a.bytes[code_point] = static_cast<std::int16_t>(byte);
    }
    return a;
  }();
  return made;
}

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string token;
  for (const char byte : bytes) token += alphabet().letters[static_cast<std::uint8_t>(byte)];
  return token;
}

std::string from_byte_alphabet(std::string_view token) {
  std::string bytes;
  for (std::size_t i = 0; i < token.size();) {
    const Utf8Step step = read_utf8(token.substr(i));
    if (step.status != Utf8Status::kCharacter) return std::string(token);
    if (step.code_point >= alphabet().bytes.size()) return std::string(token);
    const std::int16_t byte = alphabet().bytes[step.code_point];
    if (byte < 0) return std::string(token);
    bytes += static_cast<char>(byte);
    i += step.length;
  }
  return bytes;
}

}  // namespace outrider::text
