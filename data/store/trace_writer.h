#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "data/store/shard_plan.h"
#include "data/store/shard_set_writer.h"
#include "data/store/store_identity.h"
#include "data/trace.h"
#include "runtime/engine/place.h"

namespace outrider::data {

/// Writes a trace store by shards, in any order; may be killed and restarted at any time. Several
/// processes may write different parts of one plan into one folder.
class TraceWriter {
 public:
  /// Creates the folder or continues its store, and removes partial files of a killed run.
  /// @throws InputError if the store was started with another identity or plan, naming the first
  ///         difference; if another process writes one of the same shards; if the folder has other
  ///         files
  /// @param place  that computes the shards; without a name: not recorded
  TraceWriter(std::filesystem::path folder, StoreIdentity identity, ShardPlan plan,
              engine::Place place = {});

  /// The identity of the store.
  const StoreIdentity& identity() const { return files_.identity(); }

  /// The shards of this part that were missing at construction, in order.
  const std::vector<int>& missing() const { return files_.missing(); }

  /// Writes one shard. On return it is on disk and in the manifest.
  /// @param traces  of conversations [plan.first(shard), plan.first(shard + 1)), in order; the turns
  ///                of a conversation in order. A conversation may have none.
  /// @throws InputError naming the file and the system's reason
  void write(int shard, std::span<const Trace> traces);

 private:
  ShardSetWriter files_;
};

}  // namespace outrider::data
