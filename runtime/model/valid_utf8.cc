#include "runtime/model/valid_utf8.h"

#include <cstddef>
#include <cstdint>

namespace outrider::model {

bool valid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<std::uint8_t>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    if (lead < 0xC2 || lead > 0xF4) return false;
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (text.size() - i < length) return false;
    // The second byte of some leads is bounded further: overlong, surrogate, above U+10FFFF.
    const auto second = static_cast<std::uint8_t>(text[i + 1]);
    const std::uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (second < lowest || second > highest) return false;
    for (std::size_t j = 2; j < length; ++j) {
      if ((static_cast<std::uint8_t>(text[i + j]) & 0xC0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace outrider::model
