#include "runtime/cli/notices.h"

#include "runtime/base/log.h"

namespace outrider::cli {

std::function<void(const std::string&)> notices(bool quiet) {
  if (quiet) return {};
  return [](const std::string& text) { print_log("{}\n", text); };
}

}  // namespace outrider::cli
