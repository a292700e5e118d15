#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "data/store/manifest.h"
#include "data/store/shard_locks.h"
#include "data/store/shard_writer.h"

namespace outrider::data {

/// Writes the files of a plan into a folder, in any order, and lists in a manifest what is safe; may be
/// killed at any moment and begun again. Several processes may write different parts of the plan.
class ShardSetWriter {
 public:
  /// Creates the folder or continues what is in it, and removes what a killed run left half done.
  /// @throws InputError when it was begun with another identity or plan, naming the first difference;
  ///         when another process writes one of the same shards; when the folder holds something else
  ShardSetWriter(std::filesystem::path folder, StoreIdentity identity, ShardPlan plan);

  const StoreIdentity& identity() const { return manifest_.identity; }
  /// The shards of our part that are still to be made, in order; as it was when this was made.
  const std::vector<int>& missing() const { return missing_; }

  /// Writes one shard. When this returns it is on the disk and in the manifest.
  /// @param counts  its numbers of traces and tokens; the rest is filled in here
  /// @throws InputError naming the file and the system's reason
  void write(int shard, const EncodedShard& encoded, const ShardEntry& counts);

 private:
  void remove_leftovers() const;
  std::map<int, ShardEntry> continue_store();
  bool has_manifest() const;

  std::filesystem::path folder_;
  Manifest manifest_;
  std::filesystem::path manifest_path_;
  ShardLocks locks_;
  std::vector<int> missing_;
};

}  // namespace outrider::data
