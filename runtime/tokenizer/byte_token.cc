#include "runtime/tokenizer/byte_token.h"

#include <fmt/core.h>

#include <charconv>

namespace outrider::text {

std::string byte_token(std::uint8_t byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<std::uint8_t> byte_of_token(std::string_view stored) {
  if (stored.size() != 6 || !stored.starts_with("<0x") || !stored.ends_with(">"))
    return std::nullopt;
  std::uint8_t byte = 0;
  const char* end = stored.data() + 5;
  const auto parsed = std::from_chars(stored.data() + 3, end, byte, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return byte;
}

}  // namespace outrider::text
