#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "runtime/base/error.h"

namespace outrider::hdf5 {

/// A file that differs from its checksum.
class DamagedFile : public InputError {
 public:
  using InputError::InputError;
};

/// The bytes of the user block that a file with a checksum begins with: a line with the hash of all bytes
/// after the block, and spaces. HDF5 looks for its signature after such a block too.
inline constexpr std::size_t kChecksumBytes = 512;

/// Puts the checksum before the bytes of a file.
void add_checksum(std::vector<std::byte>& file);

/// Whether a regular file begins with a checksum; it may differ from it.
bool has_checksum(const std::filesystem::path& path);

/// Compares a file with its checksum, before the library opens it: that can crash on a damaged file.
/// @return whether it has one: shards, whose hashes are in their manifest, and others' files begin with HDF5's signature
/// @throws DamagedFile if it differs; InputError if it begins with neither, or cannot be read
bool verify_checksum(const std::filesystem::path& path);

/// Whether a regular file begins with a checksum or HDF5's signature; false when it cannot be read.
bool looks_like_hdf5(const std::filesystem::path& path);

}  // namespace outrider::hdf5
