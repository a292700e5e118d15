#include "runtime/base/file_hash.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

namespace outrider {

std::string file_hash(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return hash_of_rest(file, path);
}

std::string hash_of_rest(std::istream& file, const std::filesystem::path& path) {
  constexpr std::streamsize kPiece = 1 << 16;
  std::vector<char> piece(kPiece);
  Hasher hasher;
  while (file) {
    file.read(piece.data(), kPiece);
    hasher.add(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(file.gcount()))));
  }
  if (!file.eof())
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  return hasher.hex();
}

}  // namespace outrider
