#pragma once

#include <filesystem>
#include <string>

namespace outrider {

/// @throws InputError if the file or folder that a flag names is "-" and so would be standard output
void check_output_file(const std::string& flag, const std::filesystem::path& path);
void check_output_folder(const std::string& flag, const std::filesystem::path& path);

/// Resolves symbolic links, also if the target does not exist.
std::filesystem::path follow_links(std::filesystem::path path);

}  // namespace outrider
