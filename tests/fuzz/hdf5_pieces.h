#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace outrider::fuzz {

// An HDF5 file taken apart: for every dataset the length of its path and the path, its type (that of
// NumberType, or kText), its rank, each dimension in two bytes, the length of its values in two, and
// the values. What the target mutates are these pieces; the HDF5 file is made of them by our own writer.

inline constexpr unsigned char kText = 8;

/// @throws std::runtime_error when one file cannot hold the pieces: two of one path, say
std::vector<std::byte> file_of_pieces(std::span<const std::byte> pieces);

/// The way back.
std::string pieces_of_file(const std::vector<std::byte>& file);

}  // namespace outrider::fuzz
