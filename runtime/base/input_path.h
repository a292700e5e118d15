#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace outrider {

/// What a command reads where it was given a path, so that no output replaces it: one file, or files of a folder.
struct InputPath {
  std::filesystem::path path;
  bool (*is_read)(const std::string& name) = nullptr;  // which of a folder; null: it is a file
  bool may_be_updated = false;  // those of the folder are also what a command updates (--artifacts)
};

/// The files with such names in a folder, or the path itself where it is none.
inline std::vector<InputPath> files_in(const std::filesystem::path& path,
                                       bool (*is_read)(const std::string& name)) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return {{path, is_read}};
  return {{path}};
}

}  // namespace outrider
