#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace outrider::text {

/// How a vocabulary of characters stores the token of a byte: "<0x0A>".
std::string byte_token(std::uint8_t byte);

/// The byte that a token stored so stands for; nothing where it is stored otherwise.
std::optional<std::uint8_t> byte_of_token(std::string_view stored);

}  // namespace outrider::text
