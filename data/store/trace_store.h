#pragma once

#include <filesystem>
#include <vector>

#include "data/store/manifest.h"
#include "data/store/shard_reader.h"

namespace outrider::data {

/// A trace store to read: what its manifests list, finished or not.
class TraceStore {
 public:
  /// @throws InputError when there is no store, or its manifests contradict each other
  explicit TraceStore(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const StoreIdentity& identity() const { return manifest_.identity; }
  const Manifest& manifest() const { return manifest_; }
  /// The shards that are there, in order.
  const std::vector<int>& shards() const { return shards_; }
  /// Those of the plan that are not.
  std::vector<int> missing() const;

  std::filesystem::path path(int shard) const;

  /// @param check_hash  first compare the file with its hash, so that damage is called damage; a
  ///                    caller that opens shards again and again asks for it once
  /// @throws InputError naming the file and what is wrong with it
  ShardReader open(int shard, bool check_hash = true) const;

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
  std::vector<int> shards_;
};

/// @throws InputError when a file is not as a manifest says: its size, its hash
void check_file(const std::filesystem::path& path, const ShardEntry& entry);

/// The hash of a file, read piece by piece.
std::string file_hash(const std::filesystem::path& path);

}  // namespace outrider::data
