#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/closest_name.h"
#include "runtime/base/command_line.h"

namespace outrider {

CLI::Validator one_of(const std::vector<std::string>& names) {
  const auto check = [names](const std::string& text) {
    if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
    return fmt::format("expected {}, found '{}'{}", fmt::join(names, ", "), text,
                       did_you_mean(text, names));
  };
  return CLI::Validator(check, "");
}

}  // namespace outrider
