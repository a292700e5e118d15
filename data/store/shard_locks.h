#pragma once

#include <filesystem>

#include "data/store/shard_plan.h"

namespace outrider::data {

/// The right to write the shards of one part of a plan. Two processes whose parts overlap cannot
/// both have it; the system takes it back when a process ends, however it ends.
class ShardLocks {
 public:
  /// @throws InputError when another process may write one of the same shards
  ShardLocks(const std::filesystem::path& folder, const ShardPlan& plan);
  ~ShardLocks();
  ShardLocks(const ShardLocks&) = delete;
  ShardLocks& operator=(const ShardLocks&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace outrider::data
