#pragma once

#include <filesystem>

namespace outrider {

/// Path of a file or folder shipped with the programs.
/// @param path  from the repository's root, such as "checkpoints"
/// @return its path in the nearest folder above the running program that has it; else `path` itself
std::filesystem::path shipped_file(const std::filesystem::path& path);

}  // namespace outrider
