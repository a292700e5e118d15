#pragma once

#include <filesystem>

#include "data/store/shard_plan.h"

namespace outrider::data {

/// Locks on the shards of one part of a plan. Two processes with overlapping parts cannot both hold them;
/// the system releases them when a process ends, however it ends.
class ShardLocks {
 public:
  /// @throws InputError if another process has locked one of the same shards
  ShardLocks(const std::filesystem::path& folder, const ShardPlan& plan);
  ~ShardLocks();
  ShardLocks(const ShardLocks&) = delete;
  ShardLocks& operator=(const ShardLocks&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace outrider::data
