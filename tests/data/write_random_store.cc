// write_random_store FOLDER [PART PARTS]: makes or continues a small store of random traces, as
// `data traces` does; exit 2 with a message for an InputError. For tests that kill it.

#include <cstdio>
#include <cstdlib>

#include "data/store/trace_writer.h"
#include "runtime/base/error.h"
#include "tests/data/random_traces.h"

int main(int argc, char** argv) {
  using namespace outrider;
  const bool in_parts = argc == 4;
  const data::ShardPlan plan = {15, 4, in_parts ? std::atoi(argv[2]) : 1,
                                in_parts ? std::atoi(argv[3]) : 1};
  const data::StoreIdentity identity = test::small_identity({1});
  try {
    data::TraceWriter writer(argv[1], identity, plan);
    for (const int shard : writer.missing()) {
      writer.write(shard, test::random_shard(identity, plan, shard));
    }
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
