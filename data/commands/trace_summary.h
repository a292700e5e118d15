#pragma once

#include <cstdint>
#include <string>

#include "data/commands/memory_watch.h"
#include "data/generate/batch_generator.h"
#include "data/generate/prompt_selection.h"
#include "data/generate/size_estimate.h"
#include "data/store/shard_plan.h"

namespace outrider::data {

/// The figures of one run of `data traces`.
struct TraceSummary {
  std::string out;
  std::int64_t conversations = 0;
  std::int64_t traces = 0;
  std::int64_t turns_beyond_context = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  int shards_written = 0;
  int shards_before = 0;  // of this part, finished before
  int shards = 0;         // of this part
  double seconds = 0;
  double write_seconds = 0;
  double longest_shard_seconds = 0;  // the most work that a kill would have lost
  MemoryWatch memory;
  int batch = 0;
  bool interrupted = false;

  /// "1,000 conversations, ... tokens/s"
  std::string line() const;
};

/// One JSON object, with a line feed.
std::string json_of(const TraceSummary& summary, const decode::BatchStats& stats,
                    const PromptSelection& selection, const SizeEstimate& estimate,
                    const engine::Engine& engine);

}  // namespace outrider::data
