#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace outrider {

/// The bytes of a file.
/// @throws InputError naming the file and the system's reason; for a folder; for more than `max_bytes`
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace outrider
