#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "data/store/shard_plan.h"
#include "data/store/shard_set_writer.h"
#include "data/store/store_identity.h"
#include "data/trace.h"

namespace outrider::data {

/// Writes a trace store, shard by shard, in any order; may be killed at any moment and begun again.
/// Several processes may write different parts of one plan into one folder.
class TraceWriter {
 public:
  /// Creates the folder or continues the store in it, and removes what a killed run left half done.
  /// @throws InputError when the store was begun with another identity or plan, naming the first
  ///         difference; when another process writes one of the same shards; when the folder holds
  ///         something else
  TraceWriter(std::filesystem::path folder, StoreIdentity identity, ShardPlan plan);

  /// The shards of our part that are still to be made, in order; as it was when the writer was made.
  const std::vector<int>& missing() const { return files_.missing(); }

  /// Writes one shard. When this returns it is on the disk and in the manifest.
  /// @param traces  of conversations [plan.first(shard), plan.first(shard + 1)), in order; the turns
  ///                of a conversation in order. A conversation may have none.
  /// @throws InputError naming the file and the system's reason
  void write(int shard, std::span<const Trace> traces);

 private:
  ShardSetWriter files_;
};

}  // namespace outrider::data
