#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/store/trace_store.h"

namespace outrider::data {

/// counts[i]: number of values in [edges[i], edges[i + 1]); the last in [edges.back(), infinity).
struct Histogram {
  explicit Histogram(std::vector<double> lower_edges)
      : edges(std::move(lower_edges)), counts(edges.size()) {}
  void add(double value);

  std::vector<double> edges;
  std::vector<std::int64_t> counts;
};

/// Sums over some of a store's traces.
struct TraceSums {
  std::int64_t traces = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t loop_tokens = 0;            // of the output tokens, inside loops
  double entropy = 0;                      // in nats, summed over output tokens
  double entropy_outside_loops = 0;        // the same without tokens in loops
  std::array<std::int64_t, 3> finishes{};  // by FinishReason: stop, length, context
  Histogram lengths{{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}};  // output tokens of a trace
  Histogram entropies{{0, 0.01, 0.1, 0.5, 1, 1.5, 2, 3, 4, 6}};      // nats of an output token

  void add(const ShardColumns& columns, std::size_t trace);
};

/// The contents of `data inspect`.
struct StoreSummary {
  TraceSums all;
  std::map<std::string, TraceSums> tasks;
  std::int64_t bytes = 0;                             // of the files of all shards
  std::map<std::string, std::int64_t> dataset_bytes;  // of these, by dataset
};

/// Reads the whole store. @param shard_done  called after each shard with their number so far
StoreSummary summarise(const TraceStore& store,
                       const std::function<void(std::int64_t)>& shard_done);

}  // namespace outrider::data
