#include "runtime/cli/shown_notices.h"

#include "runtime/base/log.h"

namespace outrider::cli {

Notices notices(bool quiet) {
  const auto print = [](const std::string& text) { print_log("{}\n", text); };
  return {.inform = quiet ? Notices::Tell() : print, .warn = print};
}

void tell_refused(const artifacts::ArtifactSet& artifacts) {
  for (const std::string& file : artifacts.refused()) print_log("{}; left out\n", file);
}

}  // namespace outrider::cli
