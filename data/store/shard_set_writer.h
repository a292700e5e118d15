#pragma once

#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "data/store/manifest.h"
#include "data/store/shard_locks.h"
#include "data/store/shard_writer.h"
#include "runtime/engine/place.h"

namespace outrider::data {

/// Writes the files of a plan into a folder, in any order, and lists finished ones in a manifest; may be
/// killed and restarted at any time. Several processes may write different parts of the plan.
class ShardSetWriter {
 public:
  /// Creates the folder or continues its store, and removes partial files of a killed run.
  /// @throws InputError if it was started with another identity or plan, naming the first difference, or was divided
  ///         into another number of parts; if another process writes one of the same shards; if the folder has other
  ///         files
  /// @param place  that computes the shards that are written; without a name: not recorded
  ShardSetWriter(std::filesystem::path folder, StoreIdentity identity, ShardPlan plan,
                 engine::Place place = {});

  const StoreIdentity& identity() const { return manifest_.identity; }
  /// The shards of this part that were missing at construction, in order.
  const std::vector<int>& missing() const { return missing_; }

  /// Writes one shard. On return it is on disk and in the manifest.
  /// @param counts  its numbers of traces and tokens; the rest is filled in here
  /// @throws InputError naming the file and the system's reason
  void write(int shard, const EncodedShard& encoded, const ShardEntry& counts);
  /// Likewise a file that another store has. @param entry  of its manifest
  void put(int shard, std::string_view bytes, const ShardEntry& entry);

 private:
  void remove_leftovers() const;
  std::map<int, ShardEntry> continue_store();

  std::filesystem::path folder_;
  Manifest manifest_;
  engine::Place place_;
  std::filesystem::path manifest_path_;
  ShardLocks locks_;
  std::vector<int> missing_;
};

}  // namespace outrider::data
