#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace outrider {

/// The bytes of a file. A name of standard input (`names_standard_input`) is read from its descriptor:
/// opened again by its name, a file would be read from its beginning, and a socket could not be opened.
/// @throws InputError naming the file and the system's reason; for a folder; for more than `max_bytes`
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

/// The name of a file that is read, for messages: the path, or "standard input".
std::string input_name(const std::filesystem::path& path);

}  // namespace outrider
