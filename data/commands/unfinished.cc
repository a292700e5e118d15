#include "data/commands/unfinished.h"

#include <fmt/core.h>

#include "runtime/base/log.h"

namespace outrider::data {

std::string unfinished_text(const TraceStore& store) {
  const std::vector<int> missing = store.missing();
  if (missing.empty()) return "";
  return fmt::format(
      "{}: {} of {} shards are missing, the first is {}; the command that started the store "
      "finishes it",
      store.folder().string(), missing.size(), store.manifest().plan.shards(), missing.front());
}

void warn_if_unfinished(const TraceStore& store) {
  const std::string text = unfinished_text(store);
  if (!text.empty()) print_log("warning: {}\n", text);
}

}  // namespace outrider::data
