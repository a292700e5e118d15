#include "data/store/trace_writer.h"

#include "data/store/shard_writer.h"

namespace outrider::data {

TraceWriter::TraceWriter(std::filesystem::path folder, StoreIdentity identity, ShardPlan plan,
                         engine::Place place)
    : files_(std::move(folder), std::move(identity), plan, std::move(place)) {}

void TraceWriter::write(int shard, std::span<const Trace> traces) {
  ShardEntry counts;
  counts.traces = std::ssize(traces);
  for (const Trace& trace : traces) {
    counts.prompt_tokens += std::ssize(trace.prompt_tokens);
    counts.output_tokens += std::ssize(trace.output_tokens);
  }
  files_.write(shard, encode_shard(files_.identity(), shard, traces), counts);
}

}  // namespace outrider::data
