#include "calibrate/commands/journal_folder.h"

#include <fmt/core.h>

#include <system_error>

#include "runtime/base/error.h"
#include "runtime/base/user_cache.h"

namespace outrider::calibrate {

namespace fs = std::filesystem;

fs::path journal_folder() {
  const fs::path cache = user_cache_folder();
  fs::path folder = (cache.empty() ? fs::temp_directory_path() / "outrider" : cache) / "journals";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw InputError(
        fmt::format("{}: expected a folder to keep there what is done, found none that can be "
                    "made: {}; XDG_CACHE_HOME names another place",
                    folder.string(), failed.message()));
  return folder;
}

}  // namespace outrider::calibrate
