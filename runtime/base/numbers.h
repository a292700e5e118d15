#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace outrider {

/// A plain decimal number with nothing before or after it: no hexadecimal or octal, no "nan", no "inf",
/// nothing out of range.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<std::uint64_t> parse_unsigned(std::string_view text);
std::optional<double> parse_real(std::string_view text);

}  // namespace outrider
