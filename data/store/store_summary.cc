#include "data/store/store_summary.h"

#include <algorithm>

#include "runtime/hdf5/dataset_paths.h"

namespace outrider::data {

void Histogram::add(double value) {
  const auto above = std::upper_bound(edges.begin(), edges.end(), value);
  const auto bin = std::max<std::ptrdiff_t>(above - edges.begin() - 1, 0);
  ++counts[static_cast<std::size_t>(bin)];
}

void TraceSums::add(const ShardColumns& columns, std::size_t trace) {
  const auto begin = static_cast<std::size_t>(columns.outputs.offsets[trace]);
  const auto end = static_cast<std::size_t>(columns.outputs.offsets[trace + 1]);
  ++traces;
  prompt_tokens += std::ssize(columns.prompts[trace]);
  output_tokens += static_cast<std::int64_t>(end - begin);
  ++finishes.at(columns.finishes[trace]);
  lengths.add(static_cast<double>(end - begin));
  for (std::size_t i = begin; i < end; ++i) {
    const double nats = columns.entropies[i];
    entropies.add(nats);
    entropy += nats;
    if (columns.in_loops[i] != 0) {
      ++loop_tokens;
    } else {
      entropy_outside_loops += nats;
    }
  }
}

StoreSummary summarise(const TraceStore& store,
                       const std::function<void(std::int64_t)>& shard_done) {
  StoreSummary summary;
  std::int64_t done = 0;
  for (const int shard : store.shards()) {
    const ShardReader reader = store.open(shard);
    const ShardColumns& columns = reader.columns();
    for (std::size_t i = 0; i < reader.size(); ++i) {
      const auto task = columns.tasks[i];
      summary.all.add(columns, i);
      summary.tasks[{task.begin(), task.end()}].add(columns, i);
    }
    summary.bytes += static_cast<std::int64_t>(store.manifest().shards.at(shard).bytes);
    const hdf5::Reader file(store.path(shard));
    for (const std::string& path : dataset_paths(file)) {
      summary.dataset_bytes[path] += static_cast<std::int64_t>(file.info(path).stored_bytes);
    }
    shard_done(++done);
  }
  return summary;
}

}  // namespace outrider::data
