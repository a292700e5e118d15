#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace outrider {

/// The hash of a file, as of hash_hex.
/// @param bytes  that are read, from the first
/// @throws InputError if it cannot be read
std::string file_hash(const std::filesystem::path& path,
                      std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max());

/// Ends a file with a line that has the hash of the bytes before it. For formats whose readers ignore what
/// follows the end that the file itself records, as HDF5 does.
void append_checksum(std::vector<std::byte>& file);
inline constexpr std::size_t kChecksumLineBytes = 83;

/// Compares a file with the hash in its last line. @returns false if it does not end with such a line, as
/// files of older versions do not
/// @throws InputError if the hashes differ, or the file cannot be read
bool verify_checksum(const std::filesystem::path& path);

}  // namespace outrider
