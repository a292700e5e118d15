#pragma once

#include <filesystem>
#include <string>

namespace outrider {

/// What a path leads to, for messages: "nothing", "a file", "a folder", "a device", "a pipe", "a socket".
std::string file_kind(const std::filesystem::path& path);

}  // namespace outrider
