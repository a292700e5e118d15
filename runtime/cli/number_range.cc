#include <fmt/core.h>

#include <limits>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/cli/command_options.h"

namespace outrider::cli {
namespace {

template <typename Number, typename Parse>
Check range_check(const char* what, Number low, Number high, Parse parse) {
  const std::string range = high == std::numeric_limits<Number>::max()
                                ? fmt::format("{} of at least {}", what, low)
                                : fmt::format("{} from {} to {}", what, low, high);
  return [=](const std::string& text) {
    const std::optional<Number> value = parse(text);
    const bool inside = value && *value >= low && *value <= high;
    return inside ? std::string() : fmt::format("expected {}, found '{}'", range, text);
  };
}

}  // namespace

Check whole_number(std::int64_t low, std::int64_t high) {
  return range_check("a whole number", low, high, parse_integer);
}

void read_whole_numbers(const std::string& flag, const std::vector<std::string>& words, int low,
                        int high, std::vector<int>& numbers) {
  if (words.empty()) return;
  numbers.clear();
  for (const std::string& word : words) {
    const auto number = parse_integer(word);
    if (!number || *number < low || *number > high)
      throw InputError(fmt::format("{}: expected a whole number from {} to {}, found '{}'", flag,
                                   low, high, word));
    numbers.push_back(static_cast<int>(*number));
  }
}

Check real_number(double low, double high) {
  return range_check("a number", low, high, parse_real);
}

}  // namespace outrider::cli
