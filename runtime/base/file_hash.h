#pragma once

#include <filesystem>
#include <istream>
#include <string>

namespace outrider {

/// The hash of a file, as of hash_hex. @throws InputError if it cannot be read
std::string file_hash(const std::filesystem::path& path);

/// The hash of an open file from its current position on. @param path  for messages
std::string hash_of_rest(std::istream& file, const std::filesystem::path& path);

}  // namespace outrider
