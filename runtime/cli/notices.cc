#include "runtime/cli/notices.h"

#include "runtime/base/log.h"

namespace outrider::cli {

std::function<void(const std::string&)> notices(bool quiet) {
  if (quiet) return {};
  return [](const std::string& text) { print_log("{}\n", text); };
}

void tell_refused(const artifacts::ArtifactSet& artifacts) {
  for (const std::string& file : artifacts.refused()) print_log("{}; left out\n", file);
}

}  // namespace outrider::cli
