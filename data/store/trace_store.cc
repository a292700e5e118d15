#include "data/store/trace_store.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

namespace outrider::data {

TraceStore::TraceStore(std::filesystem::path folder)
    : folder_(std::move(folder)), manifest_(merge_manifests(folder_)) {
  for (const auto& [shard, entry] : manifest_.shards) shards_.push_back(shard);
}

std::vector<int> TraceStore::missing() const {
  std::vector<int> missing;
  for (int shard = 0; shard < manifest_.plan.shards(); ++shard) {
    if (manifest_.shards.count(shard) == 0) missing.push_back(shard);
  }
  return missing;
}

std::filesystem::path TraceStore::path(int shard) const { return folder_ / shard_file_name(shard); }

ShardReader TraceStore::open(int shard, bool check_hash) const {
  const ShardEntry& entry = manifest_.shards.at(shard);
  if (check_hash) {
    std::error_code error;
    const std::uint64_t bytes = std::filesystem::file_size(path(shard), error);
    if (error) throw InputError(fmt::format("{}: {}", path(shard).string(), error.message()));
    if (bytes != entry.bytes) {
      throw InputError(fmt::format("{}: damaged: expected {} bytes, found {}", path(shard).string(),
                                   entry.bytes, bytes));
    }
    const std::string found = file_hash(path(shard));
    if (found != entry.file_hash) {
      throw InputError(fmt::format("{}: damaged: expected hash {}, found {}", path(shard).string(),
                                   entry.file_hash, found));
    }
  }
  return {path(shard), identity(), shard};
}

std::string file_hash(const std::filesystem::path& path) {
  constexpr std::size_t kPiece = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(kPiece);
  Hasher hasher;
  while (file) {
    file.read(piece.data(), kPiece);
    hasher.add(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(file.gcount()))));
  }
  if (!file.eof()) {
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return hasher.hex();
}

}  // namespace outrider::data
