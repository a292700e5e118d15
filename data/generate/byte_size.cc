#include "data/generate/byte_size.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::data {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr Unit kUnits[] = {{"", 1},         {"B", 1},       {"kB", 1e3},     {"MB", 1e6},
                           {"GB", 1e9},     {"TB", 1e12},   {"KiB", 0x1p10}, {"MiB", 0x1p20},
                           {"GiB", 0x1p30}, {"TiB", 0x1p40}};
constexpr double kMostBytes = 0x1p62;

}  // namespace

std::int64_t parse_bytes(const std::string& text, const std::string& flag) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::size_t unit = std::min(text.find_first_not_of(' ', end), text.size());
  const std::optional<double> number = parse_real(std::string_view(text).substr(0, end));
  for (const Unit& known : kUnits) {
    if (!number || std::string_view(text).substr(unit) != known.name) continue;
    const double bytes = *number * known.bytes;
    if (bytes < kMostBytes) return static_cast<std::int64_t>(bytes);
  }
  throw InputError(
      fmt::format("{}: expected a size such as 500MB or 2GiB, found '{}'", flag, text));
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double number = static_cast<double>(bytes);
  const char* const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (number /= 1000; number >= 999.5 && unit < 5; ++unit) number /= 1000;
  return fmt::format("{:.3g} {}", number, units[unit]);
}

}  // namespace outrider::data
