#include "runtime/base/shipped_file.h"

#include <system_error>

namespace outrider {

std::filesystem::path shipped_file(const std::filesystem::path& path) {
  std::error_code none;
  std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", none);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (std::filesystem::exists(folder / path, none)) return folder / path;
  }
  return path;
}

}  // namespace outrider
