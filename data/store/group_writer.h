#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "data/store/group_format.h"
#include "data/store/shard_set_writer.h"
#include "data/store/trace_store.h"

namespace outrider::data {

/// Adds a group to a finished store, file by file, in any order; as TraceWriter it may be killed at any
/// moment and begun again, and several processes may write different parts.
class GroupWriter {
 public:
  /// @throws InputError when the store is not finished; when a group of that name was begun with other
  ///         options or for another content, naming the first difference; when another process writes
  ///         one of the same files
  GroupWriter(const TraceStore& store, const GroupSpec& spec, int part = 1, int parts = 1);

  /// The shards of our part that are still to be done, in order; as it was when this was made.
  const std::vector<int>& missing() const { return files_.missing(); }

  /// Writes what belongs to one shard. When this returns it is on the disk and in the manifest.
  /// @param values  of each column of the spec, in its order: [rows, width], little-endian, in the
  ///                order of the shard's traces
  /// @throws InputError naming the file and the system's reason
  void write(int shard, std::span<const std::span<const std::byte>> values);

 private:
  std::map<int, ShardEntry> base_;  // the store's
  std::vector<GroupColumn> columns_;
  ShardSetWriter files_;
};

}  // namespace outrider::data
