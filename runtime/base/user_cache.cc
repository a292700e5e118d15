#include "runtime/base/user_cache.h"

#include <cstdlib>

namespace outrider {
namespace {

/// Empty unless absolute: the specification has relative paths ignored.
std::filesystem::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  const std::filesystem::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path user_cache_folder() {
  if (const auto cache = folder_in("XDG_CACHE_HOME"); !cache.empty()) return cache / "outrider";
  if (const auto home = folder_in("HOME"); !home.empty()) return home / ".cache" / "outrider";
  return {};
}

}  // namespace outrider
