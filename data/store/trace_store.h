#pragma once

#include <filesystem>
#include <vector>

#include "data/store/manifest.h"
#include "data/store/shard_reader.h"

namespace outrider::data {

/// Reads a trace store: the shards listed in its manifests, finished or not.
class TraceStore {
 public:
  /// @throws InputError if there is no store, or its manifests are contradictory
  explicit TraceStore(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  const StoreIdentity& identity() const { return manifest_.identity; }
  const Manifest& manifest() const { return manifest_; }
  /// The finished shards, in order.
  const std::vector<int>& shards() const { return shards_; }
  /// The missing shards of the plan.
  std::vector<int> missing() const;

  /// Leaves out all other shards, so that a store that grows stays what it was.
  /// @throws InputError naming the first of these that is missing
  void keep_only(const std::vector<int>& shards);

  std::filesystem::path path(int shard) const;

  /// @param check_hash  compare the file with its hash first, so that damage is reported as such; needed
  ///                    once per shard only
  /// @throws InputError naming the file and what is wrong with it
  ShardReader open(int shard, bool check_hash = true) const;

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
  std::vector<int> shards_;
};

/// @throws InputError if a file's size or hash differs from the manifest
void check_file(const std::filesystem::path& path, const ShardEntry& entry);

}  // namespace outrider::data
