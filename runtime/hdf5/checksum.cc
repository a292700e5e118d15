#include "runtime/hdf5/checksum.h"

#include <fmt/core.h>

#include <fstream>
#include <string>
#include <string_view>

#include "runtime/base/file_hash.h"
#include "runtime/base/hash.h"

namespace outrider::hdf5 {
namespace {

constexpr std::string_view kWords = "outrider: xxh3-128 of what follows this block ";
constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

std::string block_of(const std::string& hash) {
  std::string block = fmt::format("{}{}", kWords, hash);
  block.resize(kChecksumBytes - 1, ' ');
  return block + '\n';
}

/// The first bytes of a file, at most a block of them.
std::string head_of(std::istream& file) {
  std::string head(kChecksumBytes, '\0');
  file.read(head.data(), std::ssize(head));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

/// The head of a file; empty if it is no regular file: a pipe would be waited for.
std::string head_of(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return "";
  std::ifstream file(path, std::ios::binary);
  return head_of(file);
}

}  // namespace

void add_checksum(std::vector<std::byte>& file) {
  const std::string block = block_of(hash_hex(file));
  const auto* const bytes = reinterpret_cast<const std::byte*>(block.data());
  file.insert(file.begin(), bytes, bytes + block.size());
}

bool verify_checksum(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string block = head_of(file);
  if (block.starts_with(kSignature)) return false;
  if (!block.starts_with(kWords))
    throw InputError(
        fmt::format("{}: is not an HDF5 file: begins with neither its signature nor a checksum",
                    path.string()));
  // The same open file is hashed: another program may replace it meanwhile.
  const std::string found = block_of(hash_of_rest(file, path));
  if (found == block) return true;
  const std::size_t digits = hash_hex({}).size();
  throw DamagedFile(fmt::format(
      "{}: damaged, or changed by another program: expected hash {}, found {}", path.string(),
      block.substr(kWords.size(), digits), found.substr(kWords.size(), digits)));
}

bool has_checksum(const std::filesystem::path& path) { return head_of(path).starts_with(kWords); }

bool looks_like_hdf5(const std::filesystem::path& path) {
  const std::string head = head_of(path);
  return head.starts_with(kWords) || head.starts_with(kSignature);
}

}  // namespace outrider::hdf5
