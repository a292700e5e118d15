#include "runtime/base/output_path.h"

#include <fmt/core.h>

#include <system_error>

#include "runtime/base/error.h"

namespace outrider {

namespace fs = std::filesystem;

void check_output_file(const std::string& flag, const fs::path& path) {
  if (path == "-") throw InputError(fmt::format("{}: expected a file, found -", flag));
}

void check_output_folder(const std::string& flag, const fs::path& path) {
  if (path == "-") throw InputError(fmt::format("{}: expected a folder, found -", flag));
}

fs::path follow_links(fs::path path) {
  constexpr int kMostLinks = 40;  // the system's own limit
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    const fs::path to = fs::read_symlink(path, error);
    if (error) break;
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return path;
}

}  // namespace outrider
