#include "runtime/base/file_hash.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

namespace outrider {
namespace {

constexpr std::string_view kBefore = "\noutrider: xxh3-128 of the bytes before this line ";
constexpr std::size_t kHexDigits = 32;
static_assert(kChecksumLineBytes == kBefore.size() + kHexDigits + std::string_view("\n").size());

[[noreturn]] void cannot_read(const std::filesystem::path& path) {
  throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
}

/// Of the bytes that come next.
std::string hash_of(std::ifstream& file, const std::filesystem::path& path, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = 1 << 20;
  std::vector<char> piece(kPiece);
  Hasher hasher;
  while (file && bytes > 0) {
    file.read(piece.data(), static_cast<std::streamsize>(std::min(bytes, kPiece)));
    const auto read = static_cast<std::size_t>(file.gcount());
    hasher.add(std::as_bytes(std::span(piece.data(), read)));
    bytes -= read;
  }
  if (!file && !file.eof()) cannot_read(path);
  return hasher.hex();
}

}  // namespace

std::string file_hash(const std::filesystem::path& path, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  return hash_of(file, path, bytes);
}

void append_checksum(std::vector<std::byte>& file) {
  const std::string line = fmt::format("{}{}\n", kBefore, hash_hex(file));
  const auto bytes = std::as_bytes(std::span(line));
  file.insert(file.end(), bytes.begin(), bytes.end());
}

bool verify_checksum(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) cannot_read(path);
  const std::streamoff bytes = file.tellg();
  const auto before = bytes - static_cast<std::streamoff>(kChecksumLineBytes);
  if (before < 0) return false;
  std::string line(kChecksumLineBytes, '\0');
  file.seekg(before);
  if (!file.read(line.data(), std::ssize(line))) cannot_read(path);
  if (!line.starts_with(kBefore)) return false;
  const std::string expected = line.substr(kBefore.size(), kHexDigits);
  // Of the same open file: another program may replace it meanwhile.
  file.seekg(0);
  const std::string found = hash_of(file, path, static_cast<std::uint64_t>(before));
  if (found != expected)
    throw InputError(fmt::format(
        "{}: damaged, or changed by another program: expected hash {}, found {}; put back a copy "
        "of it, or remove it and make it anew",
        path.string(), expected, found));
  return true;
}

}  // namespace outrider
