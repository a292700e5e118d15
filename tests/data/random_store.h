#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/store/trace_writer.h"
#include "tests/data/random_traces.h"
#include "tests/support/temporary_folder.h"

namespace outrider::test {

/// A store of random traces in a temporary folder, with the traces.
struct RandomStore {
  explicit RandomStore(std::vector<int> layers = {}, data::ShardPlan store_plan = {40, 12, 1, 1},
                       int leave_out = -1)
      : identity(small_identity(std::move(layers))), plan(store_plan) {
    data::TraceWriter writer(path, identity, plan);
    for (const int shard : writer.missing()) {
      if (shard == leave_out) continue;
      const std::vector<data::Trace> more = random_shard(identity, plan, shard);
      writer.write(shard, more);
      traces.insert(traces.end(), more.begin(), more.end());
    }
  }

  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "store";
  /// For files that a command writes.
  std::string file(const std::string& name) const { return (folder.path() / name).string(); }

  data::StoreIdentity identity;
  data::ShardPlan plan;
  std::vector<data::Trace> traces;  // in the store's order
};

}  // namespace outrider::test
