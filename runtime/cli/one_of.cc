#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/closest_name.h"
#include "runtime/cli/command_options.h"

namespace outrider::cli {

Check one_of(const std::vector<std::string>& names) {
  return [names](const std::string& text) {
    if (std::find(names.begin(), names.end(), text) != names.end()) return std::string();
    return fmt::format("expected {}, found '{}'{}", fmt::join(names, ", "), text,
                       did_you_mean(text, names));
  };
}

}  // namespace outrider::cli
