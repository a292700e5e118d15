#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "data/store/group_format.h"
#include "data/store/shard_set_writer.h"
#include "data/store/trace_store.h"
#include "runtime/engine/place.h"

namespace outrider::data {

/// Adds a group to a finished store, one file per shard, in any order. Like TraceWriter it may be killed
/// and restarted at any time, and several processes may write different parts.
class GroupWriter {
 public:
  /// @throws InputError if the store is not finished; if a group of that name was started with other options
  ///         or for other content, naming the first difference; if another process writes one of the same
  ///         files
  /// @param place  that computes the shards; without a name: not recorded
  GroupWriter(const TraceStore& store, const GroupSpec& spec, int part = 1, int parts = 1,
              engine::Place place = {});

  /// The shards of this part that were missing at construction, in order.
  const std::vector<int>& missing() const { return files_.missing(); }

  /// Writes the file of one shard. On return it is on disk and in the manifest.
  /// @param values  per column of the spec, in its order: [rows, width], little-endian, in the order of the
  ///                shard's traces
  /// @throws InputError naming the file and the system's reason
  void write(int shard, std::span<const std::span<const std::byte>> values);

 private:
  std::map<int, ShardEntry> base_;  // the store's
  std::vector<GroupColumn> columns_;
  ShardSetWriter files_;
};

}  // namespace outrider::data
