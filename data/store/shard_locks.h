#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "data/store/shard_plan.h"
#include "runtime/base/held_file.h"
#include "runtime/base/owned_descriptor.h"

namespace outrider::data {

/// Locks on the shards of one part of a plan. Two processes with overlapping parts cannot both hold them;
/// the system releases them when a process ends, however it ends. On a file system without locks they are files that
/// exist while they are held.
class ShardLocks {
 public:
  /// @throws InputError if another process has locked one of the same shards
  ShardLocks(const std::filesystem::path& folder, const ShardPlan& plan);

 private:
  OwnedDescriptor descriptor_;
  std::vector<std::unique_ptr<HeldFile>> held_;  // without locks of the file system
};

}  // namespace outrider::data
