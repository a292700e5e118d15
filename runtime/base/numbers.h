#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace outrider {

/// A number as people write it: plain decimal, nothing before or behind; no hexadecimal, no octal,
/// no "nan", no "inf", nothing that does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<std::uint64_t> parse_unsigned(std::string_view text);
std::optional<double> parse_real(std::string_view text);

}  // namespace outrider
