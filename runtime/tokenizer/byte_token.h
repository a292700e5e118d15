#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::text {

/// How a character vocabulary stores the token of a byte: "<0x0A>".
std::string byte_token(std::uint8_t byte);

/// The byte of a token stored in that form; nothing for other tokens.
std::optional<std::uint8_t> byte_of_token(std::string_view stored);

}  // namespace outrider::text
