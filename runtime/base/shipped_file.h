#pragma once

#include <filesystem>

namespace outrider {

/// Where a file or folder is that comes with the programs.
/// @param path  from the repository's root, such as "checkpoints"
/// @return it in the nearest folder above the running program's file that has it; else `path` itself
std::filesystem::path shipped_file(const std::filesystem::path& path);

}  // namespace outrider
