// write_random_store FOLDER [PART PARTS]: makes or continues a small store of random traces, as
// `data traces` does; write_random_store FOLDER group: adds a group to it. Exit 2 with a message for an
// InputError. For tests that kill it.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "data/store/trace_writer.h"
#include "runtime/base/error.h"
#include "tests/data/random_group.h"
#include "tests/data/random_traces.h"

namespace {

using namespace outrider;

void write_store(const char* folder, int part, int parts) {
  const data::ShardPlan plan = {15, 4, part, parts};
  const data::StoreIdentity identity = test::small_identity({1});
  data::TraceWriter writer(folder, identity, plan);
  for (const int shard : writer.missing())
    writer.write(shard, test::random_shard(identity, plan, shard));
}

void add_group(const char* folder) {
  const data::TraceStore store(folder);
  data::GroupWriter writer(store, test::random_group_spec());
  for (const int shard : writer.missing()) test::write_random_group(writer, store, shard);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::string_view(argv[2]) == "group") {
      add_group(argv[1]);
    } else if (argc == 4) {
      write_store(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
    } else {
      write_store(argv[1], 1, 1);
    }
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
