#include <fmt/core.h>

#include <limits>

#include "runtime/base/command_line.h"
#include "runtime/base/numbers.h"

namespace outrider {
namespace {

template <typename Number, typename Parse>
CLI::Validator range_check(const char* what, Number low, Number high, Parse parse) {
  const std::string range = high == std::numeric_limits<Number>::max()
                                ? fmt::format("{} of at least {}", what, low)
                                : fmt::format("{} from {} to {}", what, low, high);
  const auto check = [=](const std::string& text) {
    const std::optional<Number> value = parse(text);
    const bool inside = value && *value >= low && *value <= high;
    return inside ? std::string() : fmt::format("expected {}, found '{}'", range, text);
  };
  return CLI::Validator(check, "");
}

}  // namespace

CLI::Validator whole_number(std::int64_t low, std::int64_t high) {
  return range_check("a whole number", low, high, parse_integer);
}

CLI::Validator real_number(double low, double high) {
  return range_check("a number", low, high, parse_real);
}

}  // namespace outrider
